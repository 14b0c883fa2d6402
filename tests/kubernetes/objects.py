"""The objects that the tests apply, as JSON."""

from __future__ import annotations

import json

BASE = "localhost/nvmlkit-test-base:1"
NVIDIA = "localhost/nvidia-programs:1"
ROOT = "/run/nvidia/driver"


def pod(name: str, command: str, gpus: int = 0, claimed: str = "", **spec: object) -> str:
    """A pod of a user: nothing in it is about nvmlkit."""
    container: dict[str, object] = {
        "name": "c",
        "image": BASE,
        "imagePullPolicy": "Never",
        "command": ["sh", "-c", command],
    }
    if gpus:
        container["resources"] = {"limits": {"nvidia.com/gpu": gpus}}
    if claimed:
        container["resources"] = {"claims": [{"name": "gpu"}]}
        spec["resourceClaims"] = [{"name": "gpu", "resourceClaimName": claimed}]
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {
                "restartPolicy": "Never",
                "terminationGracePeriodSeconds": 0,
                "containers": [container],
                **spec,
            },
        }
    )


def program_of_nvidia(name: str, command: list[str], environment: dict[str, str], folders: dict[str, str], **spec: object) -> str:
    """A privileged DaemonSet with a program of NVIDIA, as their charts run it. `folders` of the node are at the same paths; the driver
    root is at /driver-root."""
    mounts: list[dict[str, object]] = [{"name": key, "mountPath": path} for key, path in folders.items()]
    volumes = [{"name": key, "hostPath": {"path": path, "type": "DirectoryOrCreate"}} for key, path in folders.items()]
    for mount in mounts:
        if mount["name"] == "plugins":
            mount["mountPropagation"] = "Bidirectional"
    container = {
        "name": "c",
        "image": NVIDIA,
        "imagePullPolicy": "Never",
        "command": command,
        "env": [{"name": key, "value": value} for key, value in environment.items()],
        "securityContext": {"privileged": True},
        "volumeMounts": [*mounts, {"name": "driver-root", "mountPath": "/driver-root", "readOnly": True}],
    }
    pod_spec = {
        "tolerations": [{"operator": "Exists"}],
        "terminationGracePeriodSeconds": 1,
        "containers": [container],
        "volumes": [*volumes, {"name": "driver-root", "hostPath": {"path": ROOT}}],
        **spec,
    }
    labels = {"name": name}
    return json.dumps(
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": name, "namespace": "kube-system"},
            "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod_spec}},
        }
    )


def device_plugin(hook: str, **more: str) -> str:
    environment = {
        "NVIDIA_DRIVER_ROOT": ROOT,
        "NVIDIA_DEV_ROOT": ROOT,
        "DRIVER_ROOT_CTR_PATH": "/driver-root",
        "DEVICE_LIST_STRATEGY": "cdi-cri",
        "NVIDIA_CDI_HOOK_PATH": hook,
        "MPS_ROOT": "",
        **more,
    }
    folders = {"device-plugin": "/var/lib/kubelet/device-plugins", "cdi": "/var/run/cdi"}
    return program_of_nvidia("nvidia-device-plugin", ["nvidia-device-plugin"], environment, folders)


def dra_driver(hook: str, kubeconfig_folder: str, node: str) -> str:
    environment = {
        "KUBECONFIG": f"{kubeconfig_folder}/admin.kubeconfig",
        "NODE_NAME": node,
        "NAMESPACE": "kube-system",
        "CDI_ROOT": "/var/run/cdi",
        "NVIDIA_DRIVER_ROOT": ROOT,
        "DRIVER_ROOT_CTR_PATH": "/driver-root",
        "NVIDIA_CDI_HOOK_PATH": hook,
        "IMAGE_NAME": NVIDIA,
        "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
    }
    folders = {
        "registry": "/var/lib/kubelet/plugins_registry",
        "plugins": "/var/lib/kubelet/plugins",
        "cdi": "/var/run/cdi",
        "api": kubeconfig_folder,
    }
    return program_of_nvidia("nvidia-dra-driver", ["gpu-kubelet-plugin", "-v", "4"], environment, folders, hostNetwork=True)


DEVICE_CLASS = json.dumps(
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu.nvidia.com"},
        "spec": {
            "selectors": [
                {"cel": {"expression": "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'"}}
            ]
        },
    }
)


def claim(name: str, gpus: int) -> str:
    exactly = {"deviceClassName": "gpu.nvidia.com", "count": gpus}
    return json.dumps(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": name},
            "spec": {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}},
        }
    )
