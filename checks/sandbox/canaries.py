"""Harmless attacks that a sandbox must survive before it is trusted: they run as judged code does.

`SOURCE` stands in for lesson `vocab`; its `attempts` returns the names of those that succeeded. A name is also
what the refusal explains.
"""

MEANING = {
    "read a secret file": "files of this machine can be read that a worker must not see",
    "reach the checks": "solutions, oracles or mutants can be read",
    "import an answer key": "a package can be imported that holds a ready-made BERT, or the checks' own tools",
    "write outside /tmp": "files outside the private folder can be written",
    "write to shared scratch": "files can be left in /dev/shm or /var/tmp: submissions can leave notes to each other",
    "change the kernel": "/proc/sys can be written: a crash would start a program of the submission's choice as root",
    "open a socket": "the network, or another process, can be reached",
    "start a process": "processes can be started, which may outlive the worker",
    "run a program": "programs can be started",
    "take shared memory": "System V memory can be had, which no limit counts",
    "take anonymous files": "memfd memory can be had, which no limit counts",
    "see other processes": "processes of others can be seen",
    "make a namespace": "namespaces can be made, and with them new rights",
    "keep a capability": "the worker still has capabilities",
    "see the environment": "environment variables of the host can be seen",
    "have descriptors": "descriptors are open beside the two pipes",
    "miss a module": "Python's or NumPy's files cannot be read inside: they lie where others may not look",
}
# Without mounts of its own a worker shares the container's scratch folders: part of what the level uid is.
KNOWN_GAPS = {"bwrap": frozenset[str](), "uid": frozenset({"write to shared scratch"})}

SOURCE = """
import ctypes, importlib.util, os, socket, sys

libc = ctypes.CDLL(None, use_errno=True)


def read_a_secret_file(secret, folders):
    return bool(open(secret).read())


def reach_the_checks(secret, folders):
    for folder in folders:
        for name in ("solutions", "checks/oracles", "checks/mutants"):
            if os.path.exists(folder + "/" + name) and os.listdir(folder + "/" + name):
                return True
    return any(importlib.util.find_spec(name) for name in ("solutions", "checks.oracles", "checks.judge"))


def import_an_answer_key(secret, folders):
    return any(importlib.util.find_spec(name) for name in ("transformers", "pytest", "hypothesis"))


def can_write(folders):
    for folder in folders:
        try:
            open(folder + "/litebert-canary", "w").close()
            os.unlink(folder + "/litebert-canary")
            return True
        except OSError:
            pass


def write_outside_tmp(secret, folders):
    return can_write(["/", "/dev", "/usr/lib", *sys.path, *folders])


def write_to_shared_scratch(secret, folders):
    return can_write(["/dev/shm", "/var/tmp"])


def miss_a_module(secret, folders):
    import numpy

    try:
        import colorsys, wave

        open(numpy.__file__).close()
    except (ImportError, OSError):
        return True


def change_the_kernel(secret, folders):
    for name in ("core_pattern", "hostname"):
        try:
            os.close(os.open("/proc/sys/kernel/" + name, os.O_WRONLY))
            return True
        except OSError:
            pass


def open_a_socket(secret, folders):
    for family in (socket.AF_INET, socket.AF_UNIX):
        try:
            socket.socket(family, socket.SOCK_STREAM).close()
            return True
        except OSError:
            pass


def start_a_process(secret, folders):
    child = os.fork()
    if child == 0:
        os.kill(os.getpid(), 9)
    os.waitpid(child, 0)
    return True


def run_a_program(secret, folders):
    child = os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {})
    return True


def take_shared_memory(secret, folders):
    return libc.shmget(0, 4096, 0o1600) != -1


def take_anonymous_files(secret, folders):
    os.close(os.memfd_create("x"))
    return True


def see_other_processes(secret, folders):
    own = str(os.getpid())
    for name in os.listdir("/proc"):
        if name.isdigit() and name != own:
            try:
                os.close(os.open("/proc/" + name + "/environ", os.O_RDONLY))
                return True
            except OSError:
                pass


def make_a_namespace(secret, folders):
    return libc.unshare(0x10000000) == 0


def keep_a_capability(secret, folders):
    lines = open("/proc/self/status").read().split("\\n")
    return any(line.startswith(("CapEff", "CapPrm")) and int(line.split()[1], 16) for line in lines)


def see_the_environment(secret, folders):
    return any(name.startswith(("PYTEST", "USER", "SSH", "VIRTUAL_ENV")) for name in os.environ)


def have_descriptors(secret, folders):
    return len(os.listdir("/proc/self/fd")) > 6


def attempts(secret, folders):
    succeeded = []
    for name, attempt in list(globals().items()):
        if getattr(attempt, "__module__", None) == __name__ and name not in ("attempts", "can_write"):
            try:
                if attempt(secret, folders):
                    succeeded.append(name.replace("_", " "))
            except Exception:
                pass
    return [name.replace("outside tmp", "outside /tmp") for name in succeeded]
"""
