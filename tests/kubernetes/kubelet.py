"""A node of the cluster: containerd and a kubelet. The first node lives in the namespaces of the test. Every further one has a mount
namespace of its own, with its own /run, /etc, /var/lib and /var/log, and control groups of its own."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from programs import cni_folder, find

PAUSE = "localhost/pause:1"

CONTAINERD = """
version = 3
root = "{work}/containerd"
state = "/run/containerd"
imports = ["{work}/containerd.d/*.toml"]
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
# Folders of its own for a further node. $1: the folder of the node. A kubelet removes logs of pods that it does not know, every minute.
NAMESPACE = """
set -e
mkdir -p "$1"/{etc,lib}/{upper,work} "$1"/log
mount -t tmpfs -o mode=755 run /run
for folder in etc lib; do
  place=/$folder; [ $folder = lib ] && place=/var/lib
  mount -t overlay overlay -o "lowerdir=$place,upperdir=$1/$folder/upper,workdir=$1/$folder/work" "$place"
done
mount --bind "$1/log" /var/log
mount --make-rshared /
echo made
exec sleep infinity
"""


class Node:
    """What a node is called, and its processes."""

    def __init__(self, work: Path, number: int, start: Callable[..., subprocess.Popen[bytes]]) -> None:
        self.cluster, self.number, self._start = work, number, start
        self.name = f"gpu-node-{number}"
        self.address = f"10.98.0.{number + 1}"
        self.work = work if number == 0 else work / self.name
        self.namespace: subprocess.Popen[str] | None = None
        self.prefix: tuple[str, ...] = ()
        self.programs: list[str] = []

    def enter(self) -> None:
        """Its mount namespace."""
        self.work.mkdir()
        command = ["unshare", "--mount", "--propagation", "slave", "bash", "-c", NAMESPACE, "bash", str(self.work)]
        self.namespace = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.namespace.stdout and self.namespace.stdout.readline() == "made\n", "no mount namespace for a node"
        self.prefix = (str(find("nsenter")), f"--mount=/proc/{self.namespace.pid}/ns/mnt", "--wd=/")
        for controllers in [*Path("/sys/fs/cgroup").glob("*/cgroup.procs"), Path("/sys/fs/cgroup/cgroup.procs")]:
            if controllers.exists():
                (controllers.parent / self.group).mkdir(exist_ok=True)

    @property
    def group(self) -> str:
        """The name of its control group; the first node has that of all kubelets."""
        return f"{self.cluster.name}-{self.number}" if self.number else ""

    def configure(self) -> None:
        network = {
            "cniVersion": "1.0.0",
            "name": f"pods{self.number}",
            "plugins": [
                {
                    "type": "bridge",
                    "bridge": f"pods{self.number}",
                    "isGateway": True,
                    "ipam": {"type": "host-local", "subnet": f"10.97.{self.number}.0/24", "routes": [{"dst": "0.0.0.0/0"}]},
                }
            ],
        }
        (self.work / "cni").mkdir()
        (self.work / "cni/pods.conflist").write_text(json.dumps(network))
        (self.work / "containerd.toml").write_text(
            CONTAINERD.format(work=self.work, pause=PAUSE, cni=cni_folder(), runc=find("runc"))
        )
        (self.work / "kubelet.json").write_text(json.dumps(self._kubelet()))

    def _kubelet(self) -> dict[str, object]:
        pki = str(self.cluster)
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "failCgroupV1": False,
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": f"/{self.group}",
            "containerRuntimeEndpoint": "unix:///run/containerd.sock",
            "authentication": {
                "anonymous": {"enabled": False},
                "webhook": {"enabled": True},
                "x509": {"clientCAFile": f"{pki}/ca.crt"},
            },
            "authorization": {"mode": "Webhook"},
            "tlsCertFile": f"{pki}/kubelet-{self.number}.crt",
            "tlsPrivateKeyFile": f"{pki}/kubelet-{self.number}.key",
            "address": self.address,
            "healthzBindAddress": self.address,
            "clusterDNS": ["10.99.0.10"],
            "failSwapOn": False,
            "oomScoreAdj": 0,
            "evictionHard": {"memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
            "imageGCHighThresholdPercent": 100,
            "nodeStatusUpdateFrequency": "2s",
            "syncFrequency": "5s",
        }

    def start_containerd(self) -> None:
        self.start("containerd", "--config", f"{self.work}/containerd.toml")

    def configure_containerd(self, file: Path) -> Path:
        """A file beside its configuration, as an administrator adds it; containerd reads it when it starts."""
        copy = self.work / "containerd.d" / file.name
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(file.read_text())
        return copy

    def start_kubelet(self) -> None:
        options = ("--config", f"{self.work}/kubelet.json", "--kubeconfig", f"{self.cluster}/node-{self.number}.kubeconfig")
        self.start("kubelet", *options, "--hostname-override", self.name, "--node-ip", self.address, "--v=2")

    def start(self, program: str, *arguments: str) -> None:
        log = f"{program}-{self.number}" if self.number else program
        self._start(log, *self.prefix, str(find(program)), *arguments)
        if log not in self.programs:
            self.programs.append(log)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """A command of a person who is on the node."""
        return subprocess.run([*self.prefix, *command], capture_output=True, text=True)

    def ctr(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(str(find("ctr")), "--address", "/run/containerd.sock", "--namespace", "k8s.io", *arguments)

    def import_images(self, images: list[Path]) -> None:
        for image in images:
            result = self.ctr("images", "import", str(image))
            assert result.returncode == 0, result.stdout + result.stderr

    def path(self, path: str) -> Path:
        """A path of the node, for a process of the test."""
        return Path(path) if self.namespace is None else Path(f"/proc/{self.namespace.pid}/root{path}")

    def end(self) -> None:
        if self.namespace:
            self.namespace.send_signal(signal.SIGKILL)
            self.namespace.communicate()

    def end_containers(self) -> None:
        """Of a node that is taken away: their processes outlive the kubelet."""
        for line in self.ctr("tasks", "list", "-q").stdout.split():
            self.ctr("tasks", "kill", "--signal", "SIGKILL", line)


def make_address(node: Node) -> None:
    first = node.number == 0
    commands = ["link set lo up", "link add cluster0 type bridge"] if first else []
    commands.append(f"address add {node.address}/24 dev cluster0")
    commands += ["link set cluster0 up", "route add default via 10.98.0.254"] if first else []
    for command in commands:
        subprocess.run([str(find("ip")), *command.split()], check=True)

