#!/usr/bin/env python3
"""Many and slow clients of `nvmlkit serve`: streams, connections without a word, large requests. Others are served all the while."""

from __future__ import annotations

import os
import resource
import socket
import time
import unittest
from pathlib import Path

from serving import PATIENCE, Served, ServeTest, tell


def memory_of(served: Served) -> int:
    """Resident bytes."""
    return int(Path(f"/proc/{served.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def processor_time(served: Served) -> float:
    fields = Path(f"/proc/{served.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_open(served: Served, client: socket.socket) -> bool:
    """Whether the server has not closed its end of a client's connection: a socket of the kernel alone has no inode."""
    port = client.getsockname()[1]
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        local, remote, inode = fields[1], fields[2], fields[9]
        if int(local.split(":")[1], 16) == served.port and int(remote.split(":")[1], 16) == port:
            return inode != "0"
    return False


class Crowd(ServeTest):
    def connect(self, served: Served) -> socket.socket:
        client = socket.create_connection((served.host, served.port), timeout=PATIENCE)
        self.addCleanup(client.close)
        return client

    def test_streams_of_many_clients(self) -> None:
        self.up("h100", 8)
        served = self.serve("--interval", "100ms")
        streams = [served.stream() for _ in range(64)]
        for stream in streams:
            self.addCleanup(stream.close)
            self.assertEqual(stream.status, 200)
        more = served.stream()
        self.assertEqual(more.status, 503)
        more.close()
        served.steer("fault gpu=3 xid 79")
        for stream in streams:
            stream.wait("state", lambda state: state["gpus"][3]["reach"] == "lost")
        for stream in streams[:32]:
            stream.close()
        end = time.monotonic() + PATIENCE
        while (again := served.stream()).status != 200:
            again.close()
            self.assertLess(time.monotonic(), end, "places of clients that left")
            time.sleep(0.1)
        again.wait("live")
        again.close()

    def test_a_client_that_does_not_read_is_cut_off(self) -> None:
        self.up("h100", 256)
        served = self.serve("--interval", "100ms")
        slow = self.connect(served)
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        slow.sendall(f"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {served.token}\r\n\r\n".encode())
        other = served.stream()
        self.addCleanup(other.close)
        other.wait("live")
        served.steer("load gpu=all 50%")
        before = memory_of(served)
        # What it does not read is kept up to a limit. How many states that takes depends on the buffers of the kernel.
        end = time.monotonic() + 4 * PATIENCE
        step = 0
        while is_open(served, slow):
            step += 1
            self.assertLess(time.monotonic(), end, f"a client that does not read is still served after {step} states")
            served.steer(f"load gpu=all {step % 90 + 1}%")
            other.wait("live")
            self.assertLess(memory_of(served) - before, 64 << 20)
        self.assertEqual(served.ask("GET", "/api/v1/live").status, 200)
        while slow.recv(1 << 20):
            pass  # what the kernel kept; the end comes after it

    def test_clients_that_say_nothing_or_little(self) -> None:
        self.up("t4", 1)
        served = self.serve()
        idle = [self.connect(served) for _ in range(100)]
        for client in idle[:50]:
            client.sendall(b"GET /api/v1/live HTTP/1.1\r\nHost: x")
        body = self.connect(served)
        body.sendall(
            f"POST /api/v1/commands HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {served.token}\r\n"
            "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{".encode()
        )
        begin = time.monotonic()
        for _ in range(50):
            self.assertEqual(served.ask("GET", "/api/v1/live").status, 200)
        self.assertLess(time.monotonic() - begin, PATIENCE)
        for client in [*idle, body]:
            client.settimeout(4 * PATIENCE)
            while client.recv(4096):
                pass  # until the server ends it, after ten seconds
        self.assertGreater(time.monotonic() - begin, 5)

    def test_large_requests_are_refused(self) -> None:
        self.up("t4", 1)
        served = self.serve()
        self.assertEqual(served.ask("POST", "/api/v1/scenarios/check", {"text": "#" * 200_000}).status, 422)
        for method, path, more in (("POST", "/api/v1/scenarios/check", f"Content-Length: {300 << 10}\r\n"), ("GET", "/" + "x" * 40_000, ""), ("GET", "/", "X: " + "x" * 40_000 + "\r\n")):
            client = self.connect(served)
            client.sendall(
                f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {served.token}\r\n"
                f"Content-Type: application/json\r\n{more}\r\n".encode()
            )
            answer = client.recv(4096)
            self.assertRegex(answer[:12], rb"^(HTTP/1.1 4\d\d|)$")
        self.assertEqual(served.ask("GET", "/api/v1/live").status, 200)

    def test_without_free_descriptors_it_waits(self) -> None:
        self.up("t4", 1)
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (48, limit[1]))
        try:
            served = self.serve()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        clients = [self.connect(served) for _ in range(80)]
        before = processor_time(served)
        time.sleep(2)
        self.assertLess(processor_time(served) - before, 0.5)
        for client in clients:
            client.close()
        self.assertEqual(served.ask("GET", "/api/v1/live").status, 200)

    def test_at_rest_it_costs_little(self) -> None:
        for gpus in (8, 256):
            self.up("h100", gpus)
            served = self.serve()
            stream = served.stream()
            stream.wait("live")
            begin, before = time.monotonic(), processor_time(served)
            while time.monotonic() - begin < 5:
                stream.wait("live")
            share = (processor_time(served) - before) / (time.monotonic() - begin)
            stream.close()
            tell(f"serve: {gpus} GPUs, a page that looks on: {100 * share:.1f} % of a core, {memory_of(served) >> 20} MiB")
            self.assertLess(share, 0.5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
