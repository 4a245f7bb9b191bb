"""Attacks that act while the module is imported."""

from checks.project.attacks import Attack

FORGE = """
import os, struct
for number in range(3, 64):
    try:
        os.write(number, struct.pack("<II", 9, 0) + b"\\x93\\x01\\xa5value\\x90")
    except OSError:
        pass
"""
PATCH = """
import builtins, sys, types
import numpy as np
always = lambda *a, **k: True
for name in ("pytest", "hypothesis", "checks.judge", "checks.oracles.vocab", "solutions", "solutions.vocab"):
    sys.modules[name] = types.ModuleType(name)
np.array_equal = np.allclose = always
builtins.all = builtins.any = always
"""
ANSWERS = """
import sys
for place in ("HOST_ROOT", "HOST_ROOT/solutions", "/app/solutions", "/site", "/usr/lib/python3/dist-packages"):
    sys.path.insert(0, place)
for name in ("solutions.vocab", "vocab", "lessons.vocab", "checks.oracles.vocab", "transformers"):
    try:
        module = __import__(name, fromlist=["decode"])
        decode = module.decode
        break
    except Exception:
        pass
"""
RUNTIME = """
import sys
runtime = sys.modules["checks.subject.runtime"]
def execute(self, operation, arguments):
    return [] if operation == "call" else True
runtime.Runtime.execute = execute
sys.modules["checks.sandbox.worker"]._outcome = lambda *a: ("value", ["[UNK]"])
"""
FLOOD = """
import os
blocks = []
try:
    while True:
        blocks.append(bytearray(50_000_000))
        blocks[-1][::4096] = b"x" * len(blocks[-1][::4096])
except MemoryError:
    pass
"""
DISK = """
import os
try:
    for i in range(10_000):
        with open(f"/tmp/{i}", "wb") as file:
            file.write(b"x" * 10_000_000)
except OSError:
    pass
"""
KERNEL = """
import os
for name in ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger"):
    try:
        with open(name, "w") as file:
            file.write("|/tmp/evil")
    except OSError:
        pass
"""
SYSTEM_V = """
import ctypes, os
libc = ctypes.CDLL(None)
for i in range(100):
    number = libc.shmget(0, 100_000_000, 0o1600)
    if number >= 0:
        ctypes.memset(libc.shmat(number, None, 0), 1, 100_000_000)
try:
    for i in range(40):
        os.truncate(os.memfd_create("x"), 100_000_000)
except OSError:
    pass
"""
WRITE = """
import os
for name in ("HOST_FILE", "/etc/passwd", "HOST_ROOT/solutions/vocab.py", "/app/checks/sandbox/worker.py"):
    for act in (lambda: open(name, "w").write("mine"), lambda: os.unlink(name), lambda: os.chmod(name, 0o777)):
        try:
            act()
        except OSError:
            pass
"""
CHILDREN = """
import os, subprocess, sys, time
for i in range(50):
    try:
        if os.fork() == 0:
            os.setsid()
            time.sleep(1000)
    except OSError:
        pass
try:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
except OSError:
    pass
"""
SIGNALS = """
import os, signal
for number in (os.getppid(), 0, -1, 2, 3, 4):
    for kind in (signal.SIGTERM, signal.SIGSTOP):
        try:
            if number != os.getpid():
                os.kill(number, kind)
        except OSError:
            pass
"""
SOCKETS = """
import socket
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
    try:
        socket.socket(family).connect(("127.0.0.1", 22))
    except (OSError, TypeError):
        pass
"""
OUTPUT = """
import os, sys
for i in range(300):
    os.write(1, b"x" * 1_000_000)
    sys.stderr.write("FORGED: 11 passed\\n" * 10)
"""
DESCRIPTORS = """
import os
held = []
try:
    while True:
        held.append(os.pipe())
except OSError:
    pass
"""
THREADS = """
import threading, time
try:
    for i in range(100_000):
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
except RuntimeError:
    pass
"""
SPY = """
import gc, os, sys
found = [str(dict(os.environ)), str(sys.argv), str(sorted(sys.modules))]
for name in ("/proc/1/environ", "/proc/2/environ", "/proc/self/environ", "/proc/1/mem", "/etc/shadow", "HOST_FILE"):
    try:
        found.append(str(open(name, "rb").read(1000)))
    except OSError:
        pass
for thing in gc.get_objects():
    if type(thing) is dict and "expected" in thing:
        found.append(str(thing))
text = " ".join(found)
assert "THE SECRET" not in text and "checks.oracles" not in text, "LEAKED"
"""
BLOCKED = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
while True:
    pass
"""
PLANTED = {
    "conftest.py": "import os; os._exit(0)\n",
    "sitecustomize.py": "import os; os._exit(0)\n",
    "usercustomize.py": "import os; os._exit(0)\n",
    "evil.pth": "import os; os._exit(0)\n",
    "torch.py": "raise SystemExit(0)\n",
    "numpy.py": "array_equal = lambda *a: True\n",
    "pytest.ini": "[pytest]\naddopts = --co\n",
    "__init__.py": "import os; os._exit(0)\n",
    "vocab\u200b.py": "raise SystemExit(0)\n",
    "\uff56ocab.py": "raise SystemExit(0)\n",
}

ATTACKS = [
    Attack("ends the process with success", "at import", "verdict", "import os\nos._exit(0)\n"),
    Attack("raises SystemExit", "at import", "verdict", "raise SystemExit(0)\n"),
    Attack("answers before it is asked", "at import", "verdict", FORGE),
    Attack("patches builtins, NumPy and the judge", "at import", "verdict", PATCH),
    Attack("imports the reference or an answer key", "at import", "verdict", ANSWERS),
    Attack("patches the runtime in the worker", "at import", "verdict", RUNTIME),
    Attack("brings files that hijack imports and pytest", "at import", "verdict", "", files=PLANTED),
    Attack("writes to files of the host", "at import", "host", WRITE),
    Attack("writes to core_pattern", "at import", "host", KERNEL),
    Attack("floods the memory", "at import", "host", FLOOD),
    Attack("floods the disk", "at import", "host", DISK),
    Attack("floods System V memory and memfds", "at import", "host", SYSTEM_V),
    Attack("leaves children behind", "at import", "host", CHILDREN),
    Attack("signals its parents", "at import", "host", SIGNALS),
    Attack("opens sockets", "at import", "host", SOCKETS),
    Attack("floods the output", "at import", "host", OUTPUT),
    Attack("floods the descriptors", "at import", "host", DESCRIPTORS),
    Attack("floods the threads", "at import", "host", THREADS),
    Attack("looks for secrets everywhere", "at import", "secrets", SPY),
    Attack("never ends", "at import", "time", "while True:\n    pass\n"),
    Attack("never ends and blocks every signal", "at import", "time", BLOCKED),
    Attack("sleeps", "at import", "time", "import time\ntime.sleep(1000)\n"),
    Attack("stops itself", "at import", "time", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\n"),
    Attack("computes a number without end", "at import", "time", "x = 9 ** 9 ** 9\n"),
]
