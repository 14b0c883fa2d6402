"""What the tests of `nvmlkit node` share: a node that runs, the tree that its folder has to be, a program that changes the machine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from clients import COMMAND, LIBRARY_DIR
from fixture import ClientTest

# Makes and destroys the MIG devices of GPU 0, a command a line.
CHANGER = """
import ctypes, sys
nvml = ctypes.CDLL(sys.argv[1])
assert nvml.nvmlInit_v2() == 0
gpu, gi, ci = (ctypes.c_void_p() for _ in range(3))
assert nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(gpu)) == 0
class Info(ctypes.Structure):
    _fields_ = [("fields", ctypes.c_uint * 9), ("memory", ctypes.c_ulonglong)]
info = Info()
assert nvml.nvmlDeviceGetGpuInstanceProfileInfo(gpu, 2, ctypes.byref(info)) == 0  # three slices
profile = info.fields[0]
commands = {
    "+gi": lambda: nvml.nvmlDeviceCreateGpuInstance(gpu, profile, ctypes.byref(gi)),
    "+ci": lambda: nvml.nvmlGpuInstanceCreateComputeInstance(gi, 2, ctypes.byref(ci)),
    "-ci": lambda: nvml.nvmlComputeInstanceDestroy(ci),
    "-gi": lambda: nvml.nvmlGpuInstanceDestroy(gi),
}
for line in sys.stdin:
    print(commands[line.strip()](), flush=True)
"""

Tree = dict[str, tuple[str, bytes, int]]  # by path: kind, content, mode


def entry_of(path: Path) -> tuple[str, bytes, int]:
    about = path.lstat()
    mode = about.st_mode & 0o7777
    if path.is_symlink():
        return ("link", os.readlink(path).encode(), 0)
    if path.is_char_device():
        return ("node", f"{os.major(about.st_rdev)}:{os.minor(about.st_rdev)}".encode(), mode)
    return ("file", path.read_bytes(), mode)


def tree_of(folder: Path, instead: Path | None = None) -> Tree:
    """What the folder holds, without the state; `instead` stands in files for the path of the folder. A file that is gone when it
    is read is left out."""
    out: Tree = {}
    for top, folders, files in os.walk(folder):
        relative = os.path.relpath(top, folder)
        if relative == ".":
            folders[:] = [name for name in folders if name not in ("run", ".nvmlkit-staging")]
        for name in [*files, *(name for name in folders if (Path(top) / name).is_symlink())]:
            path = Path(top) / name
            try:
                kind, content, mode = entry_of(path)
            except FileNotFoundError:
                continue
            if instead and kind == "file":
                content = content.replace(str(folder).encode() + b"/", str(instead).encode() + b"/")
            out[os.path.normpath(os.path.join(relative, name))] = (kind, content, mode)
    return out


class Changer:
    """A program with NVML that makes and destroys MIG devices."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", CHANGER, LIBRARY_DIR / "libnvidia-ml.so.1"], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip

    def do(self, command: str) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        assert answer == "0", f"{command}: {answer}"

    def end(self) -> None:
        self.process.stdin.close()  # type: ignore[union-attr]
        self.process.stdout.close()  # type: ignore[union-attr]
        self.process.wait()


class NodeTest(ClientTest):
    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "root"
        self.other = self.folder / "expected"
        self.ready = self.folder / "ready"
        self.environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
        self.nodes: list[subprocess.Popen[str]] = []
        self.addCleanup(self.kill_nodes)

    def kill_nodes(self) -> None:
        for node in self.nodes:
            if node.poll() is None:
                node.kill()
            node.communicate()

    def start(self, *arguments: str | Path, **more: str) -> subprocess.Popen[str]:
        """A node that need not be ready."""
        self.ready.unlink(missing_ok=True)
        node = subprocess.Popen([COMMAND, "node", self.root, "--ready-file", self.ready, *arguments], env={**self.environment, **more},
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
        self.nodes.append(node)
        return node

    def wait_until_ready(self, node: subprocess.Popen[str]) -> None:
        end = time.monotonic() + 60
        while not self.ready.exists():
            self.assertIsNone(node.poll(), node.stderr.read() if node.poll() is not None and node.stderr else "")
            self.assertLess(time.monotonic(), end, "not ready after a minute")
            time.sleep(0.0005)
        self.assertEqual(self.ready.read_text(), f"{node.pid}\n")

    def node(self, *arguments: str | Path, **more: str) -> subprocess.Popen[str]:
        node = self.start(*arguments, **more)
        self.wait_until_ready(node)
        return node

    @property
    def own_state(self) -> Path:
        return self.root / "run/nvmlkit/state"

    def expected(self, state: Path | None = None) -> Tree:
        """What `nvmlkit root` renders from the same machine, in a new folder."""
        subprocess.run(["rm", "-rf", self.other], check=True)
        self.good("root", self.other, "--state", state or self.own_state)
        return tree_of(self.other, self.root)

    def wait_for_files(self, tree: Tree, paths: set[str]) -> float:
        """Seconds until these files, and those that are not in the tree, are as in the tree."""
        begin = time.monotonic()
        for path in sorted(paths):
            while True:
                try:
                    now = entry_of(self.root / path)
                except (FileNotFoundError, NotADirectoryError):
                    now = None
                if now == tree.get(path):
                    break
                self.assertLess(time.monotonic() - begin, 30, path)
                time.sleep(0.0005)
        return time.monotonic() - begin

    def wait_for_tree(self, tree: Tree, why: str) -> float:
        """Seconds until the folder is the tree."""
        begin = time.monotonic()
        while (now := tree_of(self.root)) != tree:
            if time.monotonic() - begin > 30:
                wrong = sorted(path for path in {*now, *tree} if now.get(path) != tree.get(path))
                self.fail(f"{why}: not true after 30 s: {wrong}")
            time.sleep(0.002)
        return time.monotonic() - begin
