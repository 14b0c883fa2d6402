#!/usr/bin/env python3
"""Runs a command in a namespace where the kernel hands programs for arm64 to an emulator. Nothing of the system changes.

usage: binfmt.py EMULATOR COMMAND [ARGUMENT...]

From Linux 6.7 on, a user namespace has handlers of its own. For root it has all users of the system, for others only root."""

import ctypes
import os
import sys

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
FOLDER = "/proc/sys/fs/binfmt_misc"
# An ELF file of 64 bits for this processor: a program or a shared object, of any system.
MAGIC = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
MASK = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
LIBC = ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> None:
    if result != 0:
        sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")


def give_users(process: int) -> None:
    """Writes the users of a new namespace. Only a process outside may give it more than one."""
    for kind, own in (("uid", os.getuid()), ("gid", os.getgid())):
        if os.getuid() == 0:
            with open(f"/proc/self/{kind}_map", encoding="ascii") as file:
                users = "".join(f"{first} {first} {count}\n" for first, _, count in (line.split() for line in file))
        else:
            users = f"0 {own} 1\n"
            if kind == "gid":
                with open(f"/proc/{process}/setgroups", "w", encoding="ascii") as file:
                    file.write("deny")
        with open(f"/proc/{process}/{kind}_map", "w", encoding="ascii") as file:
            file.write(users)


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    emulator, *command = sys.argv[1:]
    outside = os.getpid()
    entered, mapped = os.pipe(), os.pipe()
    helper = os.fork()
    if helper == 0:
        os.close(mapped[0])
        os.close(entered[1])
        if os.read(entered[0], 1):
            give_users(outside)
            os.write(mapped[1], b"x")
        os._exit(0)
    os.close(mapped[1])
    checked(LIBC.unshare(CLONE_NEWUSER | CLONE_NEWNS), "no user namespace")
    os.write(entered[1], b"x")
    if not os.read(mapped[0], 1):
        sys.exit("the users of the namespace cannot be set")
    os.waitpid(helper, 0)
    checked(LIBC.mount(b"binfmt_misc", FOLDER.encode(), b"binfmt_misc", 0, None), f"{FOLDER} cannot be mounted")
    with open(f"{FOLDER}/register", "w", encoding="ascii") as file:
        file.write(f":qemu-aarch64:M::{MAGIC}:{MASK}:{emulator}:F")
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
