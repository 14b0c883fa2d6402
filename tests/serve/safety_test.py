#!/usr/bin/env python3
"""Who gets something from `nvmlkit serve`: other users of the machine, other sites, DNS rebinding and wrong tokens get nothing."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
import unittest
from pathlib import Path

from serving import PATIENCE, SOURCE, Served, ServeTest

OPENAPI = json.loads((SOURCE / "src" / "serve" / "api" / "openapi.json").read_text())
ROUTES = [(method.upper(), path.replace("{gpu}", "0")) for path, item in OPENAPI["paths"].items() for method in item if path != "/openapi.json"]
WRITES = [route for route in ROUTES if route[0] != "GET"]
LINE = {"line": "fault gpu=0 xid 79"}
# What only the machine of the tests contains.
SECRET = b"H100"

OTHER_USER = """
import http.client, sys
for route in sys.argv[2:]:
    method, path = route.split(" ")
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
    connection.request(method, path, body=b'{"line":"fault gpu=0 xid 79"}' if method == "POST" else None,
                       headers={"Content-Type": "application/json"})
    answer = connection.getresponse()
    print(answer.status, answer.read().decode())
"""


class Safety(ServeTest):
    def setUp(self) -> None:
        super().setUp()
        self.up("h100", 2)
        self.served = self.serve()

    def refuses_all(self, headers: dict[str, str | None], status: int, served: Served | None = None) -> None:
        for method, path in ROUTES:
            with self.subTest(method=method, path=path, headers=headers):
                answer = (served or self.served).ask(method, path, LINE if method == "POST" else None, headers)
                self.assertEqual(answer.status, status, answer.body)
                self.assertNotIn(SECRET, answer.body)
                self.assertEqual(list(answer.json), ["message"])
        self.assertEqual(self.good("fault"), "no faults\n")

    def test_without_the_token_nothing_is_read_or_written(self) -> None:
        token = self.served.token
        self.assertRegex(token, "^[0-9a-f]{64}$")
        for wrong in (None, "", "Bearer", "Bearer ", f"Basic {token}", token, f"Bearer {token[:-1]}", f"Bearer {token}0",
                      f"Bearer {token.upper()}" if token.upper() != token else "Bearer x", "Bearer " + "0" * 64):  # fmt: skip
            self.refuses_all({"Authorization": wrong}, 401)
        answer = self.served.ask("GET", f"/api/v1/live?token={token}", headers={"Authorization": None})
        self.assertEqual(answer.status, 401)
        self.assertEqual(answer.headers["WWW-Authenticate"], 'Bearer realm="nvmlkit"')
        answer = self.served.ask("GET", "/api/v1/live", headers={"Authorization": None, "Cookie": f"token={token}"})
        self.assertEqual(answer.status, 401)
        self.assertEqual(self.served.ask("GET", "/api/v1/live").status, 200)
        other = self.serve()
        self.assertNotEqual(other.token, token)
        self.refuses_all({"Authorization": f"Bearer {token}"}, 401, other)

    def test_names_of_other_sites_get_nothing(self) -> None:
        """DNS rebinding: a name of another site that leads to this address. The browser sends that name as Host."""
        port = self.served.port
        for host in ("evil.example", f"evil.example:{port}", f"localhost.evil.example:{port}", f"127.0.0.1.evil.example:{port}",
                     f"localhost:{port}.", f"localhost:{port + 1}", "localhost", "", f"0.0.0.0:{port}", f"192.0.2.1:{port}",
                     f"evil.example@localhost:{port}", None):  # fmt: skip
            self.refuses_all({"Host": host}, 421)
            page = self.served.ask("GET", "/", headers={"Host": host})
            self.assertEqual(page.status, 421)
        for host in (f"localhost:{port}", f"LOCALHOST:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
            self.assertEqual(self.served.ask("GET", "/api/v1/live", headers={"Host": host}).status, 200)

    def test_other_origins_get_nothing(self) -> None:
        port = self.served.port
        for origin in ("https://evil.example", "null", "", f"http://localhost:{port}", f"http://127.0.0.1:{port + 1}", "http://127.0.0.1",
                       f"http://127.0.0.1:{port}.evil.example", f"ftp://127.0.0.1:{port}"):  # fmt: skip
            self.refuses_all({"Origin": origin}, 403)
        for site in ("cross-site", "same-site", ""):
            self.refuses_all({"Sec-Fetch-Site": site}, 403)
        good = {"Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"}
        answer = self.served.ask("GET", "/api/v1/live", headers=good)
        self.assertEqual(answer.status, 200)
        for name in answer.headers:
            self.assertFalse(name.lower().startswith("access-control-"), name)

    def test_no_preflight_is_granted(self) -> None:
        for method, path in ROUTES:
            answer = self.served.ask("OPTIONS", path, headers={"Origin": "https://evil.example", "Access-Control-Request-Method": method})
            self.assertNotIn(answer.status, (200, 204))
            self.assertNotIn("Access-Control-Allow-Origin", answer.headers)

    def test_forms_cannot_write(self) -> None:
        """What a page of another site can send without a preflight, even if it knew the token."""
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", None, "application/jsonp"):
            for method, path in WRITES:
                if method != "POST":
                    continue
                with self.subTest(kind=kind, path=path):
                    self.assertEqual(self.served.ask(method, path, LINE, {"Content-Type": kind}).status, 415)
        self.assertEqual(self.good("fault"), "no faults\n")
        answer = self.served.ask("POST", "/api/v1/commands", LINE, {"Content-Type": "application/json; charset=utf-8"})
        self.assertEqual(answer.status, 200)

    def raw(self, text: str) -> bytes:
        with socket.create_connection((self.served.host, self.served.port), timeout=PATIENCE) as client:
            client.sendall(text.encode())
            client.shutdown(socket.SHUT_WR)
            out = b""
            while part := client.recv(65536):
                out += part
        return out

    def test_requests_that_programs_read_differently_are_refused(self) -> None:
        host, token = f"127.0.0.1:{self.served.port}", f"Authorization: Bearer {self.served.token}"
        for lines in (
            [f"Host: {host}", "Host: evil.example", token],
            ["Host: evil.example", f"Host: {host}", token],
            [f"Host: {host}", "Authorization: Bearer x", token],
            [f"Host: {host}", f"Origin: http://{host}", "Origin: https://evil.example", token],
        ):
            self.assertTrue(self.raw("GET /api/v1/live HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 400"))
        whole = self.raw(f"GET http://evil.example/api/v1/live HTTP/1.1\r\nHost: {host}\r\n{token}\r\nConnection: close\r\n\r\n")
        self.assertTrue(whole.startswith(b"HTTP/1.1 400"), whole[:80])
        for garbage in ("\r\n\r\n", "GET\r\n\r\n", "\x00\x01\x02\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
            self.assertNotIn(SECRET, self.raw(garbage))
        self.assertEqual(self.served.ask("GET", "/api/v1/live").status, 200)

    def test_another_user_gets_nothing(self) -> None:
        if os.geteuid() != 0 or not shutil.which("runuser"):
            self.skipTest("needs root and runuser")
        routes = [f"{method} {path}" for method, path in ROUTES]
        out = subprocess.run(
            ["runuser", "-u", "nobody", "--", "/usr/bin/python3", "-c", OTHER_USER, str(self.served.port), *routes],
            cwd="/", capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        self.assertEqual(out.returncode, 0, out.stderr)
        lines = out.stdout.splitlines()
        self.assertEqual(len(lines), len(routes))
        for line in lines:
            self.assertEqual(line, '401 {"message":"the token is missing or wrong; nvmlkit serve printed it at its start"}')
        self.assertEqual(self.good("fault"), "no faults\n")
        # Nor is the token to be seen in the list of processes, or in what the process has open.
        arguments = Path(f"/proc/{self.served.process.pid}/cmdline").read_bytes()
        environment = Path(f"/proc/{self.served.process.pid}/environ").read_bytes()
        self.assertNotIn(self.served.token.encode(), arguments + environment)
        denied = subprocess.run(["runuser", "-u", "nobody", "--", "cat", f"/proc/{self.served.process.pid}/environ"], cwd="/", capture_output=True)
        self.assertNotEqual(denied.returncode, 0)

    def test_it_listens_on_loopback_alone(self) -> None:
        sockets = []
        for name in ("tcp", "tcp6"):
            for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
                local, state = line.split()[1], line.split()[3]
                if state == "0A" and int(local.split(":")[1], 16) == self.served.port:
                    sockets.append(local.split(":")[0])
        self.assertEqual(sockets, ["0100007F"])

    def test_other_addresses_need_a_word(self) -> None:
        for address in ("0.0.0.0", "::", "192.0.2.1"):
            line = self.refused("serve", "--listen", address)
            self.assertIn("without TLS", line)
            self.assertIn("--plain-http", line)
        self.assertIn("an address such as", self.refused("serve", "--listen", "localhost"))
        exposed = self.serve("--listen", "0.0.0.0", "--plain-http")
        self.refuses_all({"Authorization": None}, 401, exposed)
        self.refuses_all({"Host": "evil.example"}, 421, exposed)
        for host in (f"192.0.2.1:{exposed.port}", "192.0.2.1", f"[2001:db8::1]:{exposed.port}"):
            self.assertEqual(exposed.ask("GET", "/api/v1/live", headers={"Host": host}).status, 200)
        for host in ("[evil.example]", "192.0.2.1.evil.example", "[::1", "]"):
            self.assertEqual(exposed.ask("GET", "/api/v1/live", headers={"Host": host}).status, 421)
        self.assertIn("other hosts can reach the page", exposed.end())

    def test_further_names_behind_a_proxy(self) -> None:
        served = self.serve("--host", "gpus.example.com")
        good = {"Host": "gpus.example.com", "Origin": "https://gpus.example.com", "Sec-Fetch-Site": "same-origin"}
        self.assertEqual(served.ask("GET", "/api/v1/live", headers=good).status, 200)
        self.assertEqual(served.ask("GET", "/api/v1/live", headers={**good, "Authorization": None}).status, 401)
        self.assertEqual(served.ask("GET", "/api/v1/live", headers={**good, "Origin": "https://evil.example"}).status, 403)

    def test_open_metrics_are_metrics_alone(self) -> None:
        served = self.serve("--open-metrics")
        answer = served.ask("GET", "/metrics", headers={"Authorization": None})
        self.assertEqual(answer.status, 200)
        self.assertIn(SECRET, answer.body)
        self.assertEqual(served.ask("GET", "/metrics", headers={"Authorization": None, "Host": "evil.example"}).status, 421)
        self.assertEqual(served.ask("GET", "/metrics", headers={"Authorization": None, "Origin": "http://evil.example"}).status, 403)
        self.assertEqual(served.ask("GET", "/api/v1/live", headers={"Authorization": None}).status, 401)

    def test_token_files(self) -> None:
        path = self.folder / "token"
        served = self.serve("--token-file", path)
        self.assertEqual(served.token, "")  # the link has none
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        served.token = path.read_text().strip()
        self.assertEqual(served.ask("GET", "/api/v1/live").status, 200)
        again = self.serve("--token-file", path)
        again.token = served.token
        self.assertEqual(again.ask("GET", "/api/v1/live").status, 200)
        path.chmod(0o644)
        self.assertIn("open to other users", self.refused("serve", "--token-file", path))
        path.chmod(0o600)
        for text in ("short\n", "", "x" * 400, "two lines " + "x" * 40):
            path.write_text(text)
            self.assertIn("contains no token", self.refused("serve", "--token-file", path))
        link = self.folder / "link"
        link.symlink_to(path)
        self.assertIn("link", self.refused("serve", "--token-file", link))

    def test_every_response_forbids_frames_scripts_and_guesses(self) -> None:
        for path, headers in (("/", {}), ("/openapi.json", {}), ("/api/v1/live", {}), ("/api/v1/live", {"Authorization": None}), ("/none", {}), ("/", {"Host": "x"})):
            answer = self.served.ask("GET", path, headers=headers)
            policy = answer.headers["Content-Security-Policy"]
            for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"):
                self.assertIn(part, policy)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(answer.headers["Cache-Control"], "no-store")
            self.assertEqual(answer.headers["Referrer-Policy"], "no-referrer")
            self.assertNotIn("Set-Cookie", answer.headers)
        page = self.served.ask("GET", "/", headers={"Authorization": None})
        self.assertEqual(page.status, 200)
        for name in [b"<script>", b"onclick=", b"style=", b"javascript:", SECRET, self.served.token.encode()]:
            self.assertNotIn(name, page.body)


if __name__ == "__main__":
    unittest.main(verbosity=2)
