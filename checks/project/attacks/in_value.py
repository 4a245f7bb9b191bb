"""Attacks that lie in what a function returns."""

from checks.project.attacks import Attack

EQUAL = """
class Equal(list):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = None
    def __len__(self): return 3
def decode(ids, vocab):
    return Equal() if len(ids) % 2 else [type("S", (str,), {"__eq__": lambda s, o: True, "__hash__": str.__hash__})()]
"""
DISGUISED = """
class Any(dict):
    __class__ = list
    def __getattr__(self, name): return self
def decode(ids, vocab):
    return Any()
"""
NOT_A_NUMBER = """
def decode(ids, vocab):
    return [float("nan")] * len(ids)
"""
WRONG_FORM = """
import sys
sys.modules["checks.subject.functions"].OPERATIONS["call"] = lambda run, *a: 7
from checks.subject import runtime
runtime._table["call"] = lambda run, *a: {"a": [None, {1: "b"}]}
def decode(ids, vocab):
    return 1
"""
PICKLE = """
import numpy as np, os
class Evil:
    def __reduce__(self): return os.system, ("touch HOST_FILE.owned",)
def decode(ids, vocab):
    return np.array([Evil()], dtype=object)
"""
STRIDES = """
import numpy as np
def decode(ids, vocab):
    return np.broadcast_to(np.float64(0), (100_000, 100_000))
"""
GIGABYTES = """
import numpy as np
def decode(ids, vocab):
    return np.zeros(1_250_000_000)
"""
DEEP = """
def decode(ids, vocab):
    value = []
    for _ in range(10_000):
        value = [value]
    return value
"""
CYCLE = """
def decode(ids, vocab):
    value = []
    value.append(value)
    return value
"""
ELEMENTS = """
def decode(ids, vocab):
    return [[] for _ in range(3_000_000)]
"""
TEXT = """
def decode(ids, vocab):
    return "x" * 500_000_000
"""
ESCAPES = """
def decode(ids, vocab):
    return ["\\x1b]0;owned\\x07\\x1b[2J", "<script>alert(1)</script>", "\\ud800"]
"""
ENVIRONMENT = """
import os
def decode(ids, vocab):
    found = [str(dict(os.environ)), os.getcwd(), os.uname().nodename]
    for name in ("/etc/passwd", "/etc/hostname", "HOST_FILE", "/proc/mounts", "/proc/self/mountinfo"):
        try:
            found.append(open(name).read())
        except OSError:
            pass
    assert "THE SECRET" not in str(found) and "root:" not in str(found)
    return found
"""
ENDLESS = """
class Endless(list):
    def __iter__(self):
        while True:
            yield "x"
    def __len__(self):
        while True:
            pass
def decode(ids, vocab):
    return Endless()
"""
TEXT_LOOP = """
class Evil(Exception):
    def __str__(self):
        while True:
            pass
def decode(ids, vocab):
    raise Evil()
"""

ATTACKS = [
    Attack("equals everything", "in a returned value", "verdict", EQUAL),
    Attack("claims another class", "in a returned value", "verdict", DISGUISED),
    Attack("is not a number", "in a returned value", "verdict", NOT_A_NUMBER),
    Attack("has a form that the operation cannot give", "in a returned value", "verdict", WRONG_FORM),
    Attack("runs a command when unpickled", "in a returned value", "host", PICKLE),
    Attack("claims eighty gigabytes by strides", "in a returned value", "host", STRIDES),
    Attack("takes ten gigabytes", "in a returned value", "host", GIGABYTES),
    Attack("is ten thousand deep", "in a returned value", "host", DEEP),
    Attack("holds itself", "in a returned value", "host", CYCLE),
    Attack("has three million elements", "in a returned value", "host", ELEMENTS),
    Attack("is half a gigabyte of text", "in a returned value", "host", TEXT),
    Attack("holds terminal escapes, markup and broken text", "in a returned value", "host", ESCAPES),
    Attack("holds what can be read around it", "in a returned value", "secrets", ENVIRONMENT),
    Attack("never ends when it is walked", "in a returned value", "time", ENDLESS),
    Attack("never ends when it is printed", "in a returned value", "time", TEXT_LOOP),
]
