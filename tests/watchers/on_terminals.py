"""Watchers on a terminal: nvtop, gpustat, `nvmlkit top`."""

from __future__ import annotations

import os
import re
import subprocess
import time

from clients import COMMAND, SOURCE, SYSTEM_PYTHON
from terminal import TERMINAL, Terminal
from watcher import View, Watcher

UNPACKED = SOURCE / "build" / "third-party" / "clients" / "bookworm" / "usr"

HEAD_OF_GPU = re.compile(r"Device (\d+) ?\[(.*?)\] ")
AT_REST = 0.02  # seconds without output: a frame is complete


class OnTerminal(Watcher):
    columns, rows = 180, 70
    restarts = False
    started = 0.0

    def __init__(self, environment: dict[str, str]) -> None:
        super().__init__()
        self.environment = {**environment, "TERM": TERMINAL}

    def command(self) -> list[str]:
        raise NotImplementedError

    def view(self, screen: str) -> View | None:
        """None: this screen is no whole frame."""
        raise NotImplementedError

    def watch(self) -> None:
        while not self.ending.is_set():
            self.started = time.monotonic()
            with Terminal(self.command(), self.environment, self.columns, self.rows) as terminal:
                self.terminal = terminal
                self.follow(terminal)

    def follow(self, terminal: Terminal) -> None:
        """Until the program ends."""
        read = 0
        while not self.ending.is_set():
            alive = terminal.read(AT_REST)
            if len(terminal.written) != read and alive:
                read = len(terminal.written)
                continue
            if view := self.view(terminal.text()):
                self.start = max(self.start, time.monotonic() - self.started) if self.restarts and self.started else self.start
                self.started = 0.0
                self.take(view)
            if not alive:
                terminal.status = os.waitstatus_to_exitcode(os.waitpid(terminal.process, 0)[1])
                return


class Nvtop(OnTerminal):
    name, key = "nvtop", "nvtop"

    @staticmethod
    def is_there() -> bool:
        return (UNPACKED / "bin" / "nvtop").exists()

    def __init__(self, environment: dict[str, str]) -> None:
        super().__init__(environment)
        self.environment["LD_LIBRARY_PATH"] += f":{UNPACKED / 'lib' / 'x86_64-linux-gnu'}"

    def command(self) -> list[str]:
        return [str(UNPACKED / "bin" / "nvtop"), "--delay", f"{self.refresh * 10:.0f}", "--no-plot", "--no-color"]

    def view(self, screen: str) -> View | None:
        lines, out = screen.split("\n"), {}
        for number, line in enumerate(lines[:-2]):
            heads = list(HEAD_OF_GPU.finditer(line))
            for head, following in zip(heads, [*heads[1:], None]):
                span = slice(head.start() - 1, following.start() - 1 if following else None)
                text = "\n".join(part[span] for part in lines[number : number + 3])
                if "MEM[" in text:
                    out |= self.of_gpu(int(head[1]), text)
        return out or None

    @staticmethod
    def of_gpu(gpu: int, text: str) -> View:
        out = {f"{gpu} device": text.split("\n")[0].strip()}
        for name, pattern in (("clock", r"GPU (\d+)MHz"), ("temperature", r"TEMP +(\S+)"), ("fan", r"FAN +(\S+)"), ("power", r"POW +(\S+)"),
                              ("used", r"GPU\[[| ]*(\d+%|N/A)"), ("memory", r"MEM\[[| ]*([\d.]+Gi|N/A)")):  # fmt: skip
            found = re.search(pattern, text)
            out[f"{gpu} {name}"] = found[1] if found else "none"
        return out


class Gpustat(OnTerminal):
    """Ends at a fault that it does not know; then it is started again, as by its user."""

    name, key = "gpustat", "gpustat"
    restarts = True
    refresh = 1.0  # it sleeps 0.1 s for each GPU in a frame

    @staticmethod
    def is_there() -> bool:
        return subprocess.run([SYSTEM_PYTHON, "-m", "gpustat", "--version"], capture_output=True).returncode == 0

    def command(self) -> list[str]:
        return [SYSTEM_PYTHON, "-m", "gpustat", "--no-color", "-i", f"{self.refresh}", "--show-power", "--show-fan-speed"]

    def view(self, screen: str) -> View | None:
        if found := re.search(r"Error on querying.*|^\w+Error: .*", screen, re.M):
            return {"error": found[0].strip()}
        out = {}
        for gpu, row in re.findall(r"^\[(\d+)\] (.*)", screen, re.M):
            watts = re.search(r"(\S+) +/ +\S+ W", row)
            out |= {f"{gpu} row": row, f"{gpu} power": watts[1] if watts else "none"}
        return out or None


class Top(OnTerminal):
    name, key = "top", "top"
    columns, rows = 180, 60

    def command(self) -> list[str]:
        return [str(COMMAND), "top", "--interval", f"{self.refresh * 1000:.0f}ms", "--unfold"]

    def view(self, screen: str) -> View | None:
        lines = screen.split("\n")
        out = {"head": lines[1].strip()}
        gpu = None
        for line in lines[3:-1]:
            if found := re.match(r".[▸▾] *(\d+) ", line):
                gpu = found[1]
            elif found := re.match(r" \d\d:\d\d:\d\d +(.*)", line):
                gpu, out["event"] = None, line.strip()
            elif not line.strip():
                gpu = None
            text = " ".join(re.sub("[⠀-⣿]", "", line).split())
            if gpu and text:
                out[f"{gpu} lines"] = out.get(f"{gpu} lines", "") + text + "\n"
        return out if "nvmlkit top" in lines[0] else None
