#!/usr/bin/env python3
"""`nvmlkit serve` over TLS: Python's and curl's clients, plain HTTP and old TLS, certificates and keys that do not do, the stream."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import stat
import subprocess
import time
import unittest
from pathlib import Path

from serving import PATIENCE, Served, ServeTest, skip, tell

SECRET = b"H100"


def made(folder: Path, name: str, *more: str, key: str = "ec") -> tuple[Path, Path]:
    """A certificate and its key, by the program openssl."""
    certificate, secret = folder / f"{name}.pem", folder / f"{name}.key"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"] if key == "ec" else ["-newkey", key]
    subprocess.run(["openssl", "req", "-x509", *kind, "-nodes", "-subj", f"/CN={name}", "-keyout", secret, "-out", certificate, "-days", "2", *more],
                   check=True, capture_output=True)  # fmt: skip
    secret.chmod(0o600)
    return certificate, secret


class Tls(ServeTest):
    def setUp(self) -> None:
        super().setUp()
        self.up("h100", 2)

    def with_files(self, *more: str, names: str = "DNS:gpus.example.com,IP:127.0.0.1", **options: str) -> Served:
        certificate, key = made(self.folder, "own", "-addext", f"subjectAltName={names}", **options)
        served = self.serve("--tls-cert", certificate, "--tls-key", key, *more)
        served.trust = ssl.create_default_context(cafile=certificate)
        return served

    def test_requests_and_the_stream(self) -> None:
        served = self.with_files("--interval", "200ms")
        self.assertEqual(served.scheme, "https")
        self.assertEqual(served.get("/api/v1/machine")["gpus"][0]["index"], 0)
        page = served.ask("GET", "/", headers={"Authorization": None})
        self.assertEqual(page.status, 200)
        self.assertIn(b"main.js", page.body)
        stream = served.stream()
        stream.wait("live")
        self.assertEqual(served.steer("fault gpu=1 xid 79").status, 200)
        stream.wait("state", lambda state: state["gpus"][1]["reach"] != "available")
        for _ in range(5):
            stream.wait("live")
        stream.close()
        self.assertEqual(served.ask("GET", "/api/v1/live").status, 200)
        self.assertEqual(served.end(), "")

    def test_the_checks_hold_over_tls(self) -> None:
        served = self.with_files()
        host = f"127.0.0.1:{served.port}"
        self.assertEqual(served.ask("GET", "/api/v1/live", headers={"Authorization": None}).status, 401)
        self.assertEqual(served.ask("GET", "/api/v1/live", headers={"Host": "evil.example"}).status, 421)
        self.assertEqual(served.ask("GET", "/api/v1/live", headers={"Origin": f"https://{host}"}).status, 200)
        for origin in (f"http://{host}", "https://evil.example", "null"):
            answer = served.ask("GET", "/api/v1/live", headers={"Origin": origin})
            self.assertEqual((answer.status, SECRET in answer.body), (403, False), origin)
        # The names of the certificate are names of the server.
        for name, status in ((f"gpus.example.com:{served.port}", 200), ("gpus.example.com", 421), (f"x.gpus.example.com:{served.port}", 421)):
            self.assertEqual(served.ask("GET", "/api/v1/live", headers={"Host": name}).status, status, name)

    def test_clients_check_the_certificate(self) -> None:
        served = self.with_files()
        served.trust = ssl.create_default_context()
        with self.assertRaises(ssl.SSLCertVerificationError):
            served.get("/api/v1/live")

    def test_plain_http_and_garbage_get_nothing(self) -> None:
        served = self.with_files()
        for text in (f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {served.token}\r\n\r\n".encode(), b"\x16\x03\x01\x00\x05hello", b"\x00" * 600):
            with socket.create_connection((served.host, served.port), timeout=PATIENCE) as client:
                client.sendall(text)
                out = b""
                try:
                    while part := client.recv(65536):
                        out += part
                except ConnectionResetError:
                    pass
            self.assertNotIn(b"HTTP", out)
            self.assertNotIn(SECRET, out)
        self.assertEqual(served.ask("GET", "/api/v1/live").status, 200)

    def test_a_client_that_shakes_no_hand_is_cut_off(self) -> None:
        served = self.with_files()
        begin = time.monotonic()
        with socket.create_connection((served.host, served.port), timeout=PATIENCE) as client:
            self.assertEqual(client.recv(1), b"")
        self.assertLess(time.monotonic() - begin, 15)

    def test_modern_tls_alone(self) -> None:
        served = self.with_files()
        seen = {}
        for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = ssl.create_default_context(cafile=self.folder / "own.pem")
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.set_alpn_protocols(["h2", "http/1.1"])
            context.minimum_version = context.maximum_version = version
            try:
                with socket.create_connection((served.host, served.port), timeout=PATIENCE) as plain, context.wrap_socket(plain, server_hostname="127.0.0.1") as client:
                    seen[version.name] = client.selected_alpn_protocol()
                    self.assertRegex(client.cipher()[0], "GCM|CHACHA20")
            except ssl.SSLError:
                seen[version.name] = "refused"
        self.assertEqual(seen, {"TLSv1": "refused", "TLSv1_1": "refused", "TLSv1_2": "http/1.1", "TLSv1_3": "http/1.1"})
        weak = ssl.create_default_context(cafile=self.folder / "own.pem")
        weak.maximum_version = ssl.TLSVersion.TLSv1_2
        weak.set_ciphers("AES128-SHA:ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0")
        with self.assertRaises(ssl.SSLError), socket.create_connection((served.host, served.port), timeout=PATIENCE) as plain:
            weak.wrap_socket(plain, server_hostname="127.0.0.1")

    def test_a_certificate_of_its_own(self) -> None:
        served = self.serve("--tls-self-signed")
        der = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate((served.host, served.port), timeout=PATIENCE))
        self.assertEqual(served.tls, f"SHA-256 {served.fingerprint_of(der)}, self-signed")
        served.trust = ssl.create_default_context(cadata=der)
        for name in ("127.0.0.1", "localhost"):
            served.host = name
            self.assertEqual(served.get("/api/v1/machine")["gpus"][1]["index"], 1)
        other = self.serve("--tls-self-signed")
        self.assertNotEqual(other.tls, served.tls)
        other.trust = served.trust
        with self.assertRaises(ssl.SSLCertVerificationError):
            other.get("/api/v1/live")

    def test_a_certificate_of_its_own_is_kept(self) -> None:
        certificate, key = self.folder / "kept.pem", self.folder / "kept.key"
        use = ("--tls-self-signed", "--tls-cert", certificate, "--tls-key", key, "--host", "gpus.example.com:9500")
        first = self.serve(*use)
        self.assertEqual(stat.S_IMODE(key.stat().st_mode), 0o600)
        first.end()
        again = self.serve(*use)
        self.assertEqual(again.tls, first.tls)
        again.trust = ssl.create_default_context(cafile=certificate)
        again.get("/api/v1/live")
        text = subprocess.run(["openssl", "x509", "-in", certificate, "-noout", "-text"], check=True, capture_output=True, text=True).stdout
        for part in ("DNS:gpus.example.com", "IP Address:127.0.0.1", "TLS Web Server Authentication", "CA:FALSE", "prime256v1"):
            self.assertIn(part, text)
        certificate.unlink()
        self.assertIn(str(certificate), self.refused("serve", *map(str, use)))

    def test_curl(self) -> None:
        if not shutil.which("curl"):
            self.skipTest("no curl")
        served = self.with_files()
        url = f"https://gpus.example.com:{served.port}/api/v1/machine"
        out = subprocess.run(["curl", "-sS", "--fail", "--cacert", self.folder / "own.pem", "--resolve", f"gpus.example.com:{served.port}:127.0.0.1",
                              "-H", f"Authorization: Bearer {served.token}", url], capture_output=True, timeout=PATIENCE)  # fmt: skip
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn(SECRET, out.stdout)

    def test_other_hosts_need_tls_or_a_word(self) -> None:
        line = self.refused("serve", "--listen", "0.0.0.0")
        for part in ("--tls-cert", "--tls-self-signed", "--plain-http"):
            self.assertIn(part, line)
        self.assertIn("--plain-http", self.refused("serve", "--listen", "0.0.0.0", "--plain-http", "--tls-self-signed"))
        served = self.serve("--listen", "0.0.0.0", "--tls-self-signed")
        self.assertEqual(served.scheme, "https")
        served.host = "127.0.0.1"
        pem = ssl.get_server_certificate((served.host, served.port), timeout=PATIENCE)
        served.trust = ssl.create_default_context(cadata=pem)
        self.assertEqual(served.ask("GET", "/api/v1/live").status, 200)
        self.assertEqual(served.ask("GET", "/api/v1/live", headers={"Authorization": None}).status, 401)
        (self.folder / "any.pem").write_text(pem)
        names = subprocess.run(["openssl", "x509", "-in", self.folder / "any.pem", "-noout", "-ext", "subjectAltName"], capture_output=True, text=True, check=True)
        self.assertIn(f"DNS:{socket.gethostname()}", names.stdout)
        self.assertEqual(served.end(), "")

    def test_the_link_has_a_name_of_the_certificate(self) -> None:
        served = self.with_files("--listen", "0.0.0.0", names="DNS:*.example.com,DNS:gpus.example.com")
        self.assertEqual(served.host, "gpus.example.com")

    def test_files_that_do_not_do(self) -> None:
        certificate, key = made(self.folder, "good")
        _, other_key = made(self.folder, "other")
        short, short_key = made(self.folder, "short", key="rsa:1024")
        encrypted, der, garbage, open_key = (self.folder / name for name in ("encrypted.key", "good.der", "garbage.pem", "open.key"))
        subprocess.run(["openssl", "pkey", "-in", key, "-aes256", "-passout", "pass:word", "-out", encrypted], check=True)
        encrypted.chmod(0o600)
        subprocess.run(["openssl", "x509", "-in", certificate, "-outform", "DER", "-out", der], check=True)
        garbage.write_text("-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n")
        garbage.chmod(0o600)
        shutil.copy(key, open_key)
        open_key.chmod(0o644)
        missing = self.folder / "missing.pem"
        for one, two, about, words in (
            (missing, key, missing, "No such file"),
            (certificate, missing, missing, "No such file"),
            (self.folder, key, self.folder, "Is a directory"),
            (garbage, key, garbage, "no certificate in PEM form"),
            (der, key, der, "openssl x509"),
            (certificate, garbage, garbage, "no private key in PEM form"),
            (key, certificate, key, "no certificate"),
            (certificate, other_key, other_key, "another certificate"),
            (certificate, encrypted, encrypted, "openssl pkey"),
            (certificate, open_key, open_key, "chmod 600"),
            (short, short_key, short, "2048 bits"),
        ):
            with self.subTest(certificate=one.name, key=two.name):
                line = self.refused("serve", "--tls-cert", one, "--tls-key", two)
                self.assertIn(str(about), line)
                self.assertIn(words, line)
                self.assertIn("--tls-", line)
        self.assertIn("--tls-key FILE", self.refused("serve", "--tls-cert", certificate))
        self.assertIn("--tls-cert FILE", self.refused("serve", "--tls-key", key))

    def test_a_key_of_another_user(self) -> None:
        if os.geteuid() != 0 or not shutil.which("runuser"):
            self.skipTest("needs root and runuser")
        certificate, key = made(self.folder, "good")
        self.folder.chmod(0o755)
        certificate.chmod(0o644)
        from clients import COMMAND
        out = subprocess.run(["runuser", "-u", "nobody", "--", COMMAND, "serve", "-m", "t4", "--tls-cert", certificate, "--tls-key", key],
                             cwd="/", capture_output=True, text=True, timeout=PATIENCE)  # fmt: skip
        self.assertEqual(out.returncode, 2)
        self.assertIn(f"{key}", out.stderr)
        self.assertIn("Permission denied", out.stderr)

    def test_a_certificate_out_of_its_time(self) -> None:
        served = self.with_files()
        self.assertEqual(served.end(), "")
        certificate, key = self.folder / "old.pem", self.folder / "own.key"
        subprocess.run(["openssl", "req", "-new", "-key", key, "-subj", "/CN=old", "-out", self.folder / "old.csr"], check=True)
        subprocess.run(["openssl", "x509", "-req", "-in", self.folder / "old.csr", "-key", key, "-days", "-1", "-out", certificate], check=True, capture_output=True)
        self.assertIn("not valid today", self.serve("--tls-cert", certificate, "--tls-key", key).end())

    def test_many_clients(self) -> None:
        served = self.with_files("--interval", "100ms")
        streams = [served.stream() for _ in range(20)]
        begin = time.monotonic()
        for _ in range(100):
            self.assertEqual(served.ask("GET", "/api/v1/live").status, 200)
        spent = time.monotonic() - begin
        for stream in streams:
            stream.wait("live")
            stream.close()
        tell(f"serve: {10 * spent:.1f} ms for a request in a connection of its own over TLS, beside 20 streams")


if __name__ == "__main__":
    if not shutil.which("openssl"):
        skip("no openssl")
    unittest.main(verbosity=2)
