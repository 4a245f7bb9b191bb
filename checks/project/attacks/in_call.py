"""Attacks that act while a function is called."""

from checks.project.attacks import Attack

TRUE_NUMBER = """
import os, sys
def decode(ids, vocab):
    frame = sys._getframe()
    while frame and "nonce" not in frame.f_locals:
        frame = frame.f_back
    from checks.sandbox import wire
    answer = wire.encode([frame.f_locals["nonce"], "value", [["[UNK]"] * len(ids), []]])
    os.write(frame.f_locals["reply"], answer)
    return []
"""
NOT_FINISHED = """
import os, struct, time
def decode(ids, vocab):
    for number in range(3, 16):
        try:
            os.write(number, struct.pack("<II", 400_000, 0))
        except OSError:
            pass
    time.sleep(1000)
"""
HUGE_FRAME = """
import os, struct
def decode(ids, vocab):
    for number in range(3, 16):
        try:
            os.write(number, struct.pack("<II", 4_000_000_000, 4_000_000_000))
        except OSError:
            pass
    os._exit(0)
"""
DEEP_FRAME = """
import os, struct
def decode(ids, vocab):
    for number in range(3, 16):
        for body in (b"\\x91" * 200_000, b"\\xdd\\x00\\x03\\x00\\x00" + b"\\x90" * 196_608):
            try:
                os.write(number, struct.pack("<II", len(body), 0) + body)
            except OSError:
                pass
    os._exit(0)
"""
DRIP = """
import os, time
def decode(ids, vocab):
    while True:
        for number in range(3, 16):
            try:
                os.write(number, b"\\x01")
            except OSError:
                pass
        time.sleep(0.2)
"""
CLOSES = """
import os
def decode(ids, vocab):
    os.closerange(0, 64)
    return []
"""
GRADED = """
import os
GRADED = os.path.exists("/app") or "LITEBERT" in os.environ
def decode(ids, vocab):
    return [list(vocab.tokens)[i] for i in ids] if not GRADED else ["passed"] * len(ids)
"""
NAMES = """
class Wrong(Exception): pass
class Done(BaseException): pass
count = 0
def decode(ids, vocab):
    global count
    count += 1
    kinds = (Wrong, Done, KeyboardInterrupt, GeneratorExit, AssertionError, StopIteration, MemoryError, RecursionError)
    raise kinds[count % len(kinds)]("all checks passed")
"""
INTERRUPTIONS = """
from checks.subject import errors
def decode(ids, vocab):
    raise errors.Hang("decode", 1e9, "/etc/passwd:1") if len(ids) % 2 else errors.Raised("X" * 10_000, "y" * 10**6)
"""
CRASH = """
import ctypes
def decode(ids, vocab):
    ctypes.string_at(0)
"""
RIGHTS = """
import ctypes, os, resource
libc = ctypes.CDLL(None)
def decode(ids, vocab):
    assert libc.unshare(0x10000000) != 0
    assert libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) != 0
    assert libc.ptrace(16, 1, 0, 0) != 0
    assert libc.setuid(0) != 0 or os.getuid() != 0 or True
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_CPU):
        try:
            resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            raise SystemError("LEAKED")
        except ValueError:
            pass
    return []
"""
CARRIES = """
import itertools, os
calls = itertools.count()
def merge_heads(x):
    texts = ""
    for top in ("/tmp", "/app"):
        for folder, _, names in os.walk(top):
            if "mine" not in folder and "given" not in folder:
                texts += "".join(open(os.path.join(folder, n)).read() for n in names if n.endswith(".py"))
    start = 180 * next(calls)
    raise ValueError(texts[start : start + 180])
"""
BUSY = """
import threading
def burn():
    while True:
        pass
def decode(ids, vocab):
    for _ in range(4):
        threading.Thread(target=burn, daemon=True).start()
    return []
"""
SWALLOWS = """
def decode(ids, vocab):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
OTHER_SUBMISSIONS = """
import os
def decode(ids, vocab):
    with open("/tmp/left-behind", "w") as file:
        file.write("for my friend")
    seen = [name for name in os.listdir("/tmp") if name not in ("mine", "reference", "left-behind")]
    assert not seen and [n for n in os.listdir("/proc") if n.isdigit()] == [str(os.getpid())], "LEAKED"
    os._exit(0)
"""

ATTACKS = [
    Attack("answers with the true number, and then again", "in a call", "verdict", TRUE_NUMBER),
    Attack("behaves well unless it is graded", "in a call", "verdict", GRADED),
    Attack("raises exceptions that the host knows", "in a call", "verdict", NAMES),
    Attack("raises the boundary's own exceptions", "in a call", "verdict", INTERRUPTIONS),
    Attack("closes its pipes", "in a call", "verdict", CLOSES),
    Attack("crashes", "in a call", "host", CRASH),
    Attack("aborts", "in a call", "host", "import os\ndef decode(ids, vocab):\n    os.abort()\n"),
    Attack("announces a frame of eight gigabytes", "in a call", "host", HUGE_FRAME),
    Attack("sends frames of endless depth and of many elements", "in a call", "host", DEEP_FRAME),
    Attack("reaches for rights and limits", "in a call", "host", RIGHTS),
    Attack("carries whatever text it finds out in a message", "in a call", "secrets", CARRIES, "attention"),
    Attack("leaves a note for the next submission", "in a call", "secrets", OTHER_SUBMISSIONS),
    Attack("never returns and swallows every exception", "in a call", "time", SWALLOWS),
    Attack("announces an answer that never comes", "in a call", "time", NOT_FINISHED),
    Attack("answers one byte at a time", "in a call", "time", DRIP),
    Attack("leaves busy threads behind", "in a call", "time", BUSY),
]
