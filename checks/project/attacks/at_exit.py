"""Attacks that act when the worker ends, or from what is left behind."""

from checks.project.attacks import Attack

FORGED_END = """
import atexit, os
def forge():
    from checks.sandbox import wire
    for number in range(3, 16):
        try:
            os.write(number, wire.encode([0, "value", [["[UNK]"], []]]))
        except OSError:
            pass
atexit.register(forge)
class Late:
    def __del__(self):
        forge()
late = Late()
def decode(ids, vocab):
    raise SystemExit(0)
"""
RESULTS = """
import atexit, json, os
def write():
    for folder in ("/tmp", "/", "HOST_ROOT", "/autograder/results"):
        for name in ("results.json", "gradebook.csv", "journal.jsonl"):
            try:
                open(folder + "/" + name, "w").write(json.dumps({"score": 100}))
            except OSError:
                pass
atexit.register(write)
write()
"""
FORKS = """
import atexit, os, time
def fork():
    for _ in range(20):
        try:
            if os.fork() == 0:
                os.setsid()
                time.sleep(1000)
        except OSError:
            pass
atexit.register(fork)
def decode(ids, vocab):
    fork()
    os._exit(0)
"""
HANDLERS = """
import signal, os, time
def again(number, frame):
    os.write(2, open("HOST_FILE").read().encode())
    time.sleep(1000)
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    try:
        signal.signal(number, again)
    except (OSError, ValueError):
        pass
def decode(ids, vocab):
    time.sleep(1000)
"""
SLEEPS = """
import atexit, threading, time
atexit.register(time.sleep, 1000)
threading.Thread(target=time.sleep, args=(1000,)).start()
def decode(ids, vocab):
    raise SystemExit(0)
"""
COLLECTOR = """
import gc, time
class Stuck:
    def __init__(self): self.me = self
    def __del__(self): time.sleep(1000)
def decode(ids, vocab):
    Stuck()
    gc.collect()
    return []
"""

ATTACKS = [
    Attack("forges an answer from atexit and __del__", "at exit", "verdict", FORGED_END),
    Attack("writes results of its own", "at exit", "verdict", RESULTS),
    Attack("forks on the way out", "at exit", "host", FORKS),
    Attack("reads a secret from a signal handler", "at exit", "secrets", HANDLERS),
    Attack("sleeps in atexit and in a thread", "at exit", "time", SLEEPS),
    Attack("sleeps when it is collected", "at exit", "time", COLLECTOR),
]
