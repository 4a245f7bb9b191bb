"""System calls that a worker may not make, with their numbers on x86_64 and aarch64.

The rest is allowed: a list of what torch needs would differ from machine to machine. `-` means that the
architecture has no such call.
"""

DENIED_TABLE = """
ptrace 101 117
process_vm_readv 310 270
process_vm_writev 311 271
process_madvise 440 440
pidfd_getfd 438 438
pidfd_open 434 434
pidfd_send_signal 424 424
kcmp 312 272
add_key 248 217
request_key 249 218
keyctl 250 219
bpf 321 280
perf_event_open 298 241
userfaultfd 323 282
io_uring_setup 425 425
io_uring_enter 426 426
io_uring_register 427 427
mount 165 40
umount2 166 39
move_mount 429 429
open_tree 428 428
fsopen 430 430
fsconfig 431 431
fsmount 432 432
fspick 433 433
mount_setattr 442 442
pivot_root 155 41
chroot 161 51
unshare 272 97
setns 308 268
memfd_create 319 279
memfd_secret 447 447
shmget 29 194
shmat 30 196
shmctl 31 195
msgget 68 186
msgsnd 69 189
semget 64 190
semop 65 193
mq_open 240 180
socket 41 198
socketpair 53 199
execve 59 221
execveat 322 281
init_module 175 105
finit_module 313 273
delete_module 176 106
kexec_load 246 104
kexec_file_load 320 294
reboot 169 142
swapon 167 224
swapoff 168 225
acct 163 89
quotactl 179 60
quotactl_fd 443 443
syslog 103 116
settimeofday 164 170
clock_settime 227 112
clock_adjtime 305 266
adjtimex 159 171
sethostname 170 161
setdomainname 171 162
personality 135 92
open_by_handle_at 304 265
name_to_handle_at 303 264
fanotify_init 300 262
lookup_dcookie 212 18
iopl 172 -
ioperm 173 -
modify_ldt 154 -
uselib 134 -
ustat 136 -
sysfs 139 -
vhangup 153 58
nfsservctl 180 42
"""

CLONE, CLONE3, FORK, VFORK, IOCTL = "clone", "clone3", "fork", "vfork", "ioctl"
OTHERS = {
    "x86_64": {CLONE: 56, CLONE3: 435, FORK: 57, VFORK: 58, IOCTL: 16},
    "aarch64": {CLONE: 220, CLONE3: 435, IOCTL: 29},
}
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_*, as a filter sees them


def denied(machine: str) -> dict[str, int]:
    """Numbers of the denied calls on this machine."""
    column = 1 + list(MACHINES).index(machine)
    rows = [line.split() for line in DENIED_TABLE.split("\n") if line]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}
