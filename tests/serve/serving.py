"""What the tests of `nvmlkit serve` share: a server with its token, requests, streams."""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import select
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))
from clients import COMMAND, LIBRARY_DIR, PATIENCE, SOURCE, available_smi, skip, tell  # noqa: E402,F401
from fixture import ClientTest  # noqa: E402


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Served:
    """A server of a machine."""

    def __init__(self, test: ClientTest, *arguments: str | Path, user: str = "") -> None:
        other = ["runuser", "-u", user, "--"] if user else []
        self.process = subprocess.Popen(
            [*other, COMMAND, "serve", *arguments], env=test.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        test.addCleanup(self.end)
        self.state = self.link = self.tls = ""
        self.trust: ssl.SSLContext | None = None  # over TLS whose certificates are good
        assert self.process.stdout is not None
        for line in self.process.stdout:
            name, value = line.rstrip("\n").split(None, 1)
            if name == "State":
                self.state = value
            if name == "TLS":
                self.tls = value
            if name == "Page":
                self.link = value
                break
        test.assertTrue(self.link, "the server did not begin: " + (self.process.stderr.read() if not self.link else ""))
        found = re.fullmatch(r"(https?)://\[?([^]]+?)\]?:(\d+)/(?:#token=(\w+))?", self.link)
        test.assertTrue(found, self.link)
        self.scheme, self.host, self.port, self.token = found[1], found[2], int(found[3]), found[4] or ""

    def end(self) -> str:
        """What it wrote on stderr."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.communicate(timeout=PATIENCE)[1]

    def connection(self) -> http.client.HTTPConnection:
        if self.scheme == "https":
            return http.client.HTTPSConnection(self.host, self.port, timeout=PATIENCE, context=self.trust)
        return http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)

    @staticmethod
    def fingerprint_of(der: bytes) -> str:
        return ":".join(f"{byte:02X}" for byte in hashlib.sha256(der).digest())

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str | None] | None = None) -> Answer:
        """A request with the token. A header that is None is left out."""
        sent: dict[str, str | None] = {"Authorization": f"Bearer {self.token}"}
        data = None
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        sent |= headers or {}
        connection = self.connection()
        try:
            connection.putrequest(method, path, skip_host="Host" in sent, skip_accept_encoding=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            if data is not None:
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        assert answer.status == 200, (path, answer.status, answer.body)
        return answer.json

    def steer(self, line: str) -> Answer:
        return self.ask("POST", "/api/v1/commands", {"line": line})

    def stream(self) -> Stream:
        return Stream(self)


class Stream:
    """The server-sent events of a server."""

    def __init__(self, served: Served) -> None:
        self.connection = served.connection()
        self.connection.request("GET", "/api/v1/stream", headers={"Authorization": f"Bearer {served.token}"})
        self.response = self.connection.getresponse()
        self.status = self.response.status

    def events(self) -> Iterator[tuple[str, Any]]:
        name = ""
        while line := self.response.readline().decode():
            if line.startswith("event: "):
                name = line[7:].strip()
            elif line.startswith("data: "):
                yield name, json.loads(line[6:])

    def wait(self, name: str, good: Any = lambda _: True) -> Any:
        """The data of the first event of the name that is good."""
        end = time.monotonic() + PATIENCE
        for seen, data in self.events():
            if seen == name and good(data):
                return data
            if time.monotonic() > end:
                break
        raise AssertionError(f"no such event: {name}")

    def is_silent(self, seconds: float) -> bool:
        return not select.select([self.connection.sock], [], [], seconds)[0]

    def close(self) -> None:
        self.response.close()
        self.connection.close()


class ServeTest(ClientTest):
    def serve(self, *arguments: str | Path, user: str = "") -> Served:
        return Served(self, *arguments, user=user)
