"""Count a JUnit report on one line; exit code 1 on a skipped or failed test, or if there is none."""

import sys
import xml.etree.ElementTree as ET

cases = list(ET.parse(sys.argv[1]).iter("testcase"))
tags = [{mark.tag for mark in case} for case in cases]
failed = sum(bool({"failure", "error"} & found) for found in tags)
skipped = sum("skipped" in found for found in tags)
print(f"{len(cases) - failed - skipped} passed, {failed} failed, {skipped} skipped")
for case, found in zip(cases, tags, strict=True):
    if "skipped" in found:
        print(f"skipped, which fails here: {case.get('classname')}::{case.get('name')}")
sys.exit(1 if failed or skipped or not cases else 0)
