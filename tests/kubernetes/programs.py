"""The programs of a cluster, found in PATH: Kubernetes, etcd, containerd, and what of NVIDIA's is there."""

from __future__ import annotations

import os
import shutil
import sys

NEEDED = (
    "kubelet",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubectl",
    "helm",
    "etcd",
    "containerd",
    "containerd-shim-runc-v2",
    "ctr",
    "runc",
    "ip",
    "nsenter",
    "unshare",
    "openssl",
)
# Where Debian and others have the plugins that connect containers.
CNI = ("/usr/lib/cni", "/opt/cni/bin")
SKIPPED = 77


def find(name: str) -> str | None:
    """A program in PATH, or in a folder of administrators, which PATH may lack."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def cni_folder() -> str | None:
    for folder in (*os.environ.get("CNI_PATH", "").split(":"), *CNI):
        if folder and os.path.exists(os.path.join(folder, "bridge")) and os.path.exists(os.path.join(folder, "host-local")):
            return folder
    return None


def missing() -> list[str]:
    out = [name for name in NEEDED if find(name) is None]
    if cni_folder() is None:
        out.append("the CNI plugins bridge and host-local (CNI_PATH, /usr/lib/cni)")
    if os.geteuid() != 0:
        out.append("the rights of root")
    return out


def skip(reason: str) -> None:
    print(f"skipped: {reason}", flush=True)
    sys.exit(SKIPPED)
