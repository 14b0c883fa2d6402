"""A cluster in the namespaces of this process: etcd, the control plane, and one node or more (kubelet.py). `run` makes the
namespaces, in which /run, /etc, /var/lib and /var/log are the test's own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from kubelet import Node, make_address
from programs import find

ADDRESS = "10.98.0.1"
SERVICES = "10.99.0.0/16"
# Of the service `kubernetes`, which pods use. No kube-proxy runs: the API listens there itself.
API = "10.99.0.1"
NODE = "gpu-node-0"


class Cluster:
    def __init__(self, work: Path) -> None:
        self.work = work
        self.logs = work / "logs"
        self.logs.mkdir()
        self.programs: dict[str, subprocess.Popen[bytes]] = {}
        self.images: list[Path] = []
        self.nodes = [Node(work, 0, self.start_command)]
        self._last_number = 0
        self.environment = {**os.environ, "KUBECONFIG": str(work / "admin.kubeconfig"), "HOME": str(work), "LC_ALL": "C.UTF-8"}

    # ---- certificates

    def _openssl(self, *arguments: str) -> None:
        subprocess.run([str(find("openssl")), *arguments], check=True, capture_output=True, cwd=self.work)

    def _certificate(self, name: str, subject: str, *names: str) -> None:
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        self._openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", subject)
        extension = self.work / f"{name}.ext"
        extension.write_text(f"subjectAltName={','.join(names)}\n" if names else "basicConstraints=CA:FALSE\n")
        signed = ("-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", extension.name)
        self._openssl("x509", "-req", "-in", f"{name}.csr", *signed, "-out", f"{name}.crt")

    def _kubeconfig(self, name: str) -> None:
        pki = {kind: str(self.work / f"{name}.{kind}") for kind in ("crt", "key")}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "clusters": [
                {
                    "name": "test",
                    "cluster": {"server": f"https://{ADDRESS}", "certificate-authority": str(self.work / "ca.crt")},
                }
            ],
            "users": [{"name": "test", "user": {"client-certificate": pki["crt"], "client-key": pki["key"]}}],
        }
        (self.work / f"{name}.kubeconfig").write_text(json.dumps(config))

    def _certificates(self) -> None:
        ca = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test")
        self._openssl("req", "-x509", *ca, "-keyout", "ca.key", "-out", "ca.crt")
        self._certificate("apiserver", "/CN=kube-apiserver", f"IP:{ADDRESS}", f"IP:{API}", "DNS:kubernetes.default.svc")
        self._certificate("admin", "/O=system:masters/CN=admin")
        self._openssl("genrsa", "-out", "accounts.key", "2048")
        self._kubeconfig("admin")

    def _certificates_of(self, node: Node) -> None:
        self._certificate(f"node-{node.number}", f"/O=system:nodes/CN=system:node:{node.name}")
        self._certificate(f"kubelet-{node.number}", f"/CN={node.name}", f"IP:{node.address}", f"DNS:{node.name}")
        self._kubeconfig(f"node-{node.number}")

    # ---- programs

    def start_command(self, name: str, *command: str) -> None:
        with (self.logs / name).open("ab") as log:
            self.programs[name] = subprocess.Popen(
                [*command], stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.environment
            )

    def start_program(self, name: str, *arguments: str) -> None:
        self.start_command(name, str(find(name)), *arguments)

    def end_program(self, name: str, number: signal.Signals = signal.SIGTERM) -> None:
        program = self.programs.pop(name)
        program.send_signal(number)
        program.wait(60)

    def start(self, images: list[Path]) -> None:
        self.images = images
        self._certificates()
        first = self.nodes[0]
        make_address(first)
        subprocess.run([str(find("ip")), "address", "add", f"{API}/32", "dev", "cluster0"], check=True)
        self.start_program("etcd", "--data-dir", f"{self.work}/etcd", "--unsafe-no-fsync", "--logger=zap")
        self._start_api()
        self._prepare(first)
        self.wait("the API", lambda: self.kubectl("get", "--raw", "/readyz", check=False) == "ok", 300)
        self._start_controllers()
        self._join(first)
        self.wait("accounts", lambda: "default" in self.kubectl("get", "sa", "-o", "name", check=False), 120)

    def _prepare(self, node: Node) -> None:
        self._certificates_of(node)
        node.configure()
        node.start_containerd()
        self.wait("containerd", lambda: node.ctr("version").returncode == 0, 120)
        node.import_images(self.images)

    def _join(self, node: Node) -> None:
        node.start_kubelet()
        ready = "{.status.conditions[?(@.type=='Ready')].status}"
        self.wait(node.name, lambda: "True" in self.node(ready, node.name), 300)

    def add_node(self) -> Node:
        """A further one."""
        self._last_number += 1  # no number twice: a node that was removed leaves its folder
        node = Node(self.work, self._last_number, self.start_command)
        self.nodes.append(node)
        node.enter()
        make_address(node)
        self._prepare(node)
        self._join(node)
        return node

    def restart_containerd(self, node: Node) -> None:
        """Containers outlive it."""
        program = self.programs[next(name for name in node.programs if name.startswith("containerd"))]
        program.terminate()
        program.wait(60)
        node.start_containerd()
        self.wait("containerd", lambda: node.ctr("version").returncode == 0, 120)

    def remove_node(self, node: Node) -> None:
        self.kubectl("delete", "node", node.name)
        for name in reversed(node.programs):
            if "kubelet" not in name:
                node.end_containers()
            program = self.programs.pop(name)
            program.terminate()
            program.wait(60)
        node.end()
        self.nodes.remove(node)

    def _start_api(self) -> None:
        work = self.work
        self.start_program(
            "kube-apiserver",
            "--etcd-servers=http://127.0.0.1:2379",
            "--bind-address=0.0.0.0",
            "--secure-port=443",
            f"--advertise-address={ADDRESS}",
            f"--service-cluster-ip-range={SERVICES}",
            f"--tls-cert-file={work}/apiserver.crt",
            f"--tls-private-key-file={work}/apiserver.key",
            f"--client-ca-file={work}/ca.crt",
            f"--kubelet-certificate-authority={work}/ca.crt",
            f"--kubelet-client-certificate={work}/admin.crt",
            f"--kubelet-client-key={work}/admin.key",
            "--kubelet-preferred-address-types=InternalIP",
            f"--service-account-key-file={work}/accounts.key",
            f"--service-account-signing-key-file={work}/accounts.key",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--authorization-mode=Node,RBAC",
            "--allow-privileged",
        )

    def _start_controllers(self) -> None:
        """They end where they find no API."""
        work = self.work
        client = (f"--kubeconfig={work}/admin.kubeconfig", "--leader-elect=false", "--secure-port=0")
        accounts = f"--service-account-private-key-file={work}/accounts.key"
        self.start_program("kube-controller-manager", *client, accounts, f"--root-ca-file={work}/ca.crt")
        self.start_program("kube-scheduler", *client)

    def stop(self) -> None:
        for program in reversed(self.programs.values()):
            program.send_signal(signal.SIGTERM)
        for program in self.programs.values():
            try:
                program.wait(30)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        for node in self.nodes:
            node.end()

    # ---- use

    def wait(self, what: str, done: Callable[[], bool], seconds: float = 120) -> float:
        """Returns how long it took."""
        begin = time.monotonic()
        while not done():
            ended = [name for name, program in self.programs.items() if program.poll() is not None]
            assert not ended, f"{ended} ended: " + "\n".join((self.logs / name).read_text()[-2000:] for name in ended)
            assert time.monotonic() - begin < seconds, f"{what}: not after {seconds} s\n{self.describe()}"
            time.sleep(0.25)
        return time.monotonic() - begin

    def describe(self) -> str:
        """For the person who reads of a failure."""
        out = self.kubectl("get", "pods,ds", "-A", "-o", "wide", check=False)
        out += self.kubectl("get", "events", "-A", "--field-selector=type=Warning", "-o", "custom-columns=M:.message", check=False)
        for line in self.kubectl("get", "pods", "-A", "--no-headers", check=False).splitlines():
            namespace, pod = line.split()[:2]
            out += f"{pod}:\n" + self.kubectl("-n", namespace, "logs", pod, "--tail=15", "--all-containers", check=False)
        return out

    def _run(self, program: str, *arguments: str, text: str | None = None, check: bool = True) -> str:
        result = subprocess.run(
            [str(find(program)), *arguments], input=text, capture_output=True, text=True, env=self.environment, timeout=400
        )
        assert not check or result.returncode == 0, f"{program} {arguments}: {result.stdout}{result.stderr}"
        return result.stdout if check else result.stdout + result.stderr

    def kubectl(self, *arguments: str, text: str | None = None, check: bool = True) -> str:
        return self._run("kubectl", *arguments, text=text, check=check)

    def helm(self, *arguments: str, check: bool = True) -> str:
        return self._run("helm", *arguments, check=check)

    def apply(self, manifest: str) -> None:
        self.kubectl("apply", "-f", "-", text=manifest)

    def node(self, path: str, name: str = NODE) -> str:
        return self.kubectl("get", "node", name, "-o", f"jsonpath={path}", check=False)

    def phase(self, pod: str) -> str:
        return self.kubectl("get", "pod", pod, "-o", "jsonpath={.status.phase}", check=False)
