#!/usr/bin/env python3
"""troubleshooting_test.py PAGE NVMLKIT DRIVER: docs/troubleshooting.md quotes messages as they are printed.

Each case brings a symptom about, and the line on standard error has to be in the page. Where the page has a path of its
own, the line's is replaced by it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PLACE = "/run/user/1000/nvmlkit"
INIT = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).nvmlInit_v2())"


class Symptoms:
    def __init__(self, page: Path, nvmlkit: str, driver: str, folder: Path) -> None:
        self.page = page.read_text(encoding="utf-8")
        self.nvmlkit, self.driver, self.folder = nvmlkit, driver, folder
        self.failures = 0
        folder.chmod(0o700)
        (folder / "nvmlkit").mkdir(mode=0o700)

    def environment(self, variables: dict[str, str]) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("NVMLKIT_", "MOCK_NVML_"))}
        return {**kept, "XDG_RUNTIME_DIR": str(self.folder), **variables}

    def check(self, variables: dict[str, str], *command: str) -> None:
        """What the command, or a program that starts NVML, prints on standard error is in the page."""
        run = command if command else (sys.executable, "-c", INIT, self.driver)
        result = subprocess.run([self.nvmlkit, *run] if command else run, cwd=self.folder, env=self.environment(variables),
                                capture_output=True, text=True, check=False, timeout=60)
        printed = result.stderr.replace(str(self.folder / "nvmlkit"), PLACE)
        if result.returncode == 0 or not printed:
            print(f"{variables} {' '.join(command)}: status {result.returncode}, printed {printed!r}")
            self.failures += 1
        for line in printed.splitlines():
            if line not in self.page:
                print(f"the page lacks: {line}")
                self.failures += 1

    def check_root(self) -> None:
        """A library of a driver root: without its state, and with a state that another user made."""
        root = self.folder / "gpus"
        subprocess.run([self.nvmlkit, "root", str(root), "-m", "h100"], check=True, capture_output=True, env=self.environment({}))
        library = next((root / "usr/lib").glob("*-linux-gnu/libnvidia-ml.so.1"))
        init = (sys.executable, "-c", INIT, str(library))
        if os.geteuid() == 0:
            self.folder.chmod(0o755)
            self.print_of(("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", *init), str(root), "")
        shutil.rmtree(root / "run")
        self.print_of(init, str(root), "/var/lib/gpus")

    def print_of(self, run: tuple[str, ...], path: str, in_page: str) -> None:
        result = subprocess.run(run, cwd="/", env=self.environment({}), capture_output=True, text=True, check=False, timeout=60)
        line = result.stderr.rstrip("\n").replace(path, in_page)
        line = line.replace(f"/{os.uname().machine}-linux-gnu/", "/x86_64-linux-gnu/")
        if result.returncode == 0 or not line or line not in self.page:
            print(f"{' '.join(run)}: status {result.returncode}, the page lacks: {line!r}")
            self.failures += 1

    def damaged(self, at: int, value: bytes) -> dict[str, str]:
        """The machine that is up, from another build."""
        state = self.folder / "nvmlkit" / "machine"
        subprocess.run([self.nvmlkit, "up", "-m", "h100", "-n", "2", "--state", str(state)], check=True,
                       stdout=subprocess.DEVNULL, env=self.environment({}))
        with state.open("r+b") as file:
            file.seek(at)
            file.write(value)
        return {"NVMLKIT_STATE": str(state)}


def main() -> int:
    page, nvmlkit, driver = (Path(argument).resolve() for argument in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as name:
        at = Symptoms(page, str(nvmlkit), str(driver), Path(name))
        (at.folder / "bad.yaml").write_text('version: "1.0"\nbase: h100\ndevice_defaults:\n  power: {limit_mv: 500000}\n',
                                            encoding="utf-8")
        at.check({"NVMLKIT_MACHINE": "h101"})
        at.check({"NVMLKIT_MACHINE": "./no.yaml"})
        at.check({"NVMLKIT_MACHINE": "bad.yaml"})
        at.check({"NVMLKIT_MACHINE": "h100", "NVMLKIT_DRIVER": "999"})
        state = str(at.folder / "nvmlkit" / "machine")
        at.check({"NVMLKIT_STATE": state})
        at.check({}, "down")
        at.check(at.damaged(16, b"\x01"))           # the layout's hash
        at.check(at.damaged(24, b"0.0.9\0"))        # the version
        up = at.damaged(0, b"n")                    # as it was
        at.check(up, "run", "-n", "3", "--", "true")
        at.check({}, "run", "-m", "h100")
        at.check({}, "run", "-m", "h100", "--", "no-such-program")
        subprocess.run([at.nvmlkit, "fault", "machine", "driver-not-loaded"], check=True, env=at.environment(up))
        at.check({**up, "NVMLKIT_NVML_LIBRARY": at.driver}, "caps")
        (at.folder / "nvmlkit").chmod(0o755)
        at.check({}, "up", "-m", "t4")
        at.check_root()
        print(f"{page.name}: {at.failures} failures")
        return 1 if at.failures else 0


if __name__ == "__main__":
    sys.exit(main())
