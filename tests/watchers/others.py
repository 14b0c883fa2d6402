"""Watchers without a terminal: the event waiter, the page, Prometheus."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from clients import SOURCE, SYSTEM_PYTHON
from watcher import View, Watcher

sys.path.append(str(SOURCE / "tests" / "serve"))
from browser import Browser, webdriver  # noqa: E402
from serving import Served  # noqa: E402

PROMETHEUS = SOURCE / "build" / "third-party" / "clients" / "prometheus" / "usr" / "bin" / "prometheus"

PAGE = """
const text = (selector) => document.querySelector(selector)?.textContent ?? "";
const out = {summary: text("#summary"), connection: text("#connection"), log: [...document.querySelectorAll("ol.log li")].slice(0, 9).map((line) => [...line.children].map((part) => part.textContent).join(" ").replaceAll("\\n", " ")).join("\\n")};
document.querySelectorAll(".row:not(.head)").forEach((row, gpu) => {
  out[`${gpu} state`] = row.querySelector(".condition").textContent;
  [...row.querySelectorAll(".number")].forEach((cell, i) => { out[`${gpu} ${["used", "memory", "power", "temperature", "clock", "traffic"][i]}`] = cell.textContent; });
});
return out;
"""


LABELS = ("nic", "counter", "of", "fault", "xid", "event", "sxid", "limit", "clock", "kind", "engine", "reason")


class EventWaiter(Watcher):
    name, key = "event waiter", "waiter"
    refresh = 0.010

    @staticmethod
    def is_there() -> bool:
        return subprocess.run([SYSTEM_PYTHON, "-c", "import pynvml"], capture_output=True).returncode == 0

    def __init__(self, environment: dict[str, str]) -> None:
        super().__init__()
        script = Path(__file__).with_name("event_waiter.py")
        self.process = subprocess.Popen([SYSTEM_PYTHON, script], env=environment, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout and self.process.stdout.readline() == "ready\n"

    def counts_every_frame(self) -> bool:
        return True

    def watch(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            when, text = line.split(" ", 1)
            self.take({"event": text.strip()}, float(when))

    def end(self) -> None:
        self.process.kill()
        super().end()
        self.process.wait()


class Page(Watcher):
    name, key = "page", "page"

    @staticmethod
    def is_there() -> bool:
        return webdriver is not None and bool(shutil.which("chromium") and shutil.which("chromedriver"))

    def __init__(self, served: Served) -> None:
        super().__init__()
        self.browser = Browser()
        self.browser.open(served)

    def watch(self) -> None:
        while not self.ending.is_set():
            self.take(self.browser.run(PAGE))
            time.sleep(0.03)

    def end(self) -> None:
        super().end()
        self.browser.end()


class Prometheus(Watcher):
    name, key = "Prometheus", "prometheus"

    @staticmethod
    def is_there() -> bool:
        return PROMETHEUS.exists()

    CONFIGURATION = """
scrape_configs:
  - job_name: nvmlkit
    scrape_interval: {interval}ms
    scrape_timeout: {interval}ms
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""

    def __init__(self, served: Served, folder: Path) -> None:
        super().__init__()
        file = folder / "prometheus.yaml"
        file.write_text(self.CONFIGURATION.format(interval=round(self.refresh * 1000), port=served.port))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen([PROMETHEUS, f"--config.file={file}", f"--storage.tsdb.path={folder / 'tsdb'}",
                                         f"--web.listen-address=127.0.0.1:{self.port}"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)  # fmt: skip

    def ask(self) -> list[dict[str, Any]]:
        query = urllib.parse.urlencode({"query": '{job="nvmlkit"}[5s]'})
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/query?{query}", timeout=10) as answer:
                return json.load(answer)["data"]["result"]
        except OSError:  # it starts
            return []

    def watch(self) -> None:
        seen = 0.0
        while not self.ending.is_set():
            scrapes: dict[float, View] = {}
            for series in self.ask():
                name = self.name_of(series["metric"])
                for when, value in series["values"]:
                    if when > seen:
                        scrapes.setdefault(when, {})[name] = value
            offset = time.clock_gettime(time.CLOCK_BOOTTIME) - time.time()
            for when in sorted(scrapes):
                if "up" in scrapes[when]:  # written last: the scrape is complete
                    self.take(scrapes[when], when + offset)
                    seen = when
            time.sleep(0.05)

    @staticmethod
    def name_of(labels: dict[str, str]) -> str:
        rest = [labels[key] for key in LABELS if key in labels]
        name = re.sub("^nvmlkit_(gpu_)?", "", labels["__name__"])
        return " ".join([*([labels["gpu"]] if "gpu" in labels else []), name, *rest])

    def end(self) -> None:
        super().end()
        self.process.terminate()
        self.process.wait()
