"""A cluster of one node, in the namespaces of this process: etcd, the control plane, a kubelet, containerd. `run` makes the
namespaces, in which /run, /etc and /var/lib are the test's own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from programs import cni_folder, find

ADDRESS = "10.98.0.1"
PODS = "10.97.0.0/24"
SERVICES = "10.99.0.0/16"
NODE = "gpu-node-0"
PAUSE = "localhost/pause:1"

CONTAINERD = """
version = 3
root = "{work}/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd.sock"
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = "{pause}"
[plugins.'io.containerd.cri.v1.runtime']
  enable_cdi = true
  cdi_spec_dirs = ["/etc/cdi", "/var/run/cdi"]
  restrict_oom_score_adj = true
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dirs = ["{cni}"]
  conf_dir = "{work}/cni"
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
  BinaryName = "{runc}"
  SystemdCgroup = false
"""
NETWORK = {
    "cniVersion": "1.0.0",
    "name": "pods",
    "plugins": [{"type": "bridge", "bridge": "pods0", "isGateway": True, "ipam": {"type": "host-local", "subnet": PODS}}],
}


def kubelet_configuration(work: Path) -> dict[str, object]:
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "failCgroupV1": False,
        "cgroupDriver": "cgroupfs",
        "containerRuntimeEndpoint": "unix:///run/containerd.sock",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": f"{work}/ca.crt"},
        },
        "authorization": {"mode": "Webhook"},
        "tlsCertFile": f"{work}/kubelet.crt",
        "tlsPrivateKeyFile": f"{work}/kubelet.key",
        "address": ADDRESS,
        "clusterDNS": ["10.99.0.10"],
        "failSwapOn": False,
        "oomScoreAdj": 0,
        "evictionHard": {"memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
        "imageGCHighThresholdPercent": 100,
        "nodeStatusUpdateFrequency": "2s",
        "syncFrequency": "5s",
    }


class Cluster:
    def __init__(self, work: Path) -> None:
        self.work = work
        self.logs = work / "logs"
        self.logs.mkdir()
        self.programs: dict[str, subprocess.Popen[bytes]] = {}
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
                    "cluster": {"server": f"https://{ADDRESS}:6443", "certificate-authority": str(self.work / "ca.crt")},
                }
            ],
            "users": [{"name": "test", "user": {"client-certificate": pki["crt"], "client-key": pki["key"]}}],
        }
        (self.work / f"{name}.kubeconfig").write_text(json.dumps(config))

    def _certificates(self) -> None:
        ca = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test")
        self._openssl("req", "-x509", *ca, "-keyout", "ca.key", "-out", "ca.crt")
        self._certificate("apiserver", "/CN=kube-apiserver", f"IP:{ADDRESS}", "IP:10.99.0.1", "DNS:kubernetes.default.svc")
        self._certificate("admin", "/O=system:masters/CN=admin")
        self._certificate("node", f"/O=system:nodes/CN=system:node:{NODE}")
        self._certificate("kubelet", f"/CN={NODE}", f"IP:{ADDRESS}", f"DNS:{NODE}")
        self._openssl("genrsa", "-out", "accounts.key", "2048")
        for name in ("admin", "node"):
            self._kubeconfig(name)

    # ---- programs

    def _start(self, name: str, *arguments: str) -> None:
        command = [str(find(name)), *arguments]
        with (self.logs / name).open("wb") as log:
            self.programs[name] = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.environment
            )

    def start(self, images: list[Path]) -> None:
        for command in (
            "link set lo up",
            "link add cluster0 type bridge",
            f"address add {ADDRESS}/24 dev cluster0",
            "link set cluster0 up",
            "route add default via 10.98.0.254",
        ):
            subprocess.run([str(find("ip")), *command.split()], check=True)
        work = self.work
        self._certificates()
        (work / "cni").mkdir()
        (work / "cni/pods.conflist").write_text(json.dumps(NETWORK))
        (work / "containerd.toml").write_text(
            CONTAINERD.format(work=work, pause=PAUSE, cni=cni_folder(), runc=find("runc"))
        )
        (work / "kubelet.json").write_text(json.dumps(kubelet_configuration(work)))
        self._start("containerd", "--config", f"{work}/containerd.toml")
        self._start("etcd", "--data-dir", f"{work}/etcd", "--unsafe-no-fsync", "--logger=zap")
        self._start_api()
        self.wait("containerd", lambda: self.ctr("version").returncode == 0)
        for image in images:
            result = self.ctr("images", "import", str(image))
            assert result.returncode == 0, result.stdout + result.stderr
        self.wait("the API", lambda: self.kubectl("get", "--raw", "/readyz", check=False) == "ok", 300)
        self._start_controllers()
        kubelet = ("--config", f"{work}/kubelet.json", "--kubeconfig", f"{work}/node.kubeconfig")
        self._start("kubelet", *kubelet, "--hostname-override", NODE, "--node-ip", ADDRESS, "--v=2")
        self.wait("the node", lambda: "True" in self.node("{.status.conditions[?(@.type=='Ready')].status}"), 300)
        self.wait("accounts", lambda: "default" in self.kubectl("get", "sa", "-o", "name", check=False), 120)

    def _start_api(self) -> None:
        work = self.work
        self._start(
            "kube-apiserver",
            "--etcd-servers=http://127.0.0.1:2379",
            f"--bind-address={ADDRESS}",
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
        self._start("kube-controller-manager", *client, accounts, f"--root-ca-file={work}/ca.crt")
        self._start("kube-scheduler", *client)

    def stop(self) -> None:
        for program in reversed(self.programs.values()):
            program.send_signal(signal.SIGTERM)
        for program in self.programs.values():
            try:
                program.wait(30)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()

    # ---- use

    def wait(self, what: str, done: Callable[[], bool], seconds: float = 60) -> float:
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

    def ctr(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(find("ctr")), "--address", "/run/containerd.sock", "--namespace", "k8s.io", *arguments]
        return subprocess.run(command, capture_output=True, text=True)

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

    def node(self, path: str) -> str:
        return self.kubectl("get", "node", NODE, "-o", f"jsonpath={path}", check=False)

    def phase(self, pod: str) -> str:
        return self.kubectl("get", "pod", pod, "-o", "jsonpath={.status.phase}", check=False)
