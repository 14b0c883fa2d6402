"""The objects that the tests apply, as JSON."""

from __future__ import annotations

import json

BASE = "localhost/nvmlkit-test-base:1"
NVIDIA = "localhost/nvidia-programs:1"
ROOT = "/run/nvidia/driver"


def pod(name: str, command: str, gpus: int = 0, claimed: str = "", resource: str = "nvidia.com/gpu", **spec: object) -> str:
    """A pod of a user: nothing in it is about nvmlkit."""
    container: dict[str, object] = {
        "name": "c",
        "image": BASE,
        "imagePullPolicy": "Never",
        "command": ["sh", "-c", command],
    }
    if gpus:
        container["resources"] = {"limits": {resource: gpus}}
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
    """A privileged DaemonSet with a program of NVIDIA, as their charts run it. `folders` of the node are at the same paths, or below
    /host; the driver root is at /driver-root."""
    mounts: list[dict[str, object]] = [{"name": key, "mountPath": path} for key, path in folders.items()]
    volumes = [
        {"name": key, "hostPath": {"path": path.removeprefix("/host"), "type": "DirectoryOrCreate"}} for key, path in folders.items()
    ]
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


# The plugin and others read files at fixed paths of /proc as soon as a GPU is in MIG mode.
BIND_PROC = "mount -o bind /driver-root/proc/driver /proc/driver && "


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
    command = ["nvidia-device-plugin"]
    if more.get("MIG_STRATEGY", "none") != "none":
        command = ["sh", "-c", f"{BIND_PROC} exec nvidia-device-plugin"]
    if "CONFIG_FILE" in more:
        folders["config"] = str(more["CONFIG_FILE"]).rsplit("/", 1)[0]
    return program_of_nvidia("nvidia-device-plugin", command, environment, folders)


# Whether the operator has a driver of its own, is read from the API.
VALIDATOR_RIGHTS = json.dumps(
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "validator"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": "kube-system"}],
    }
)


def compute_domain(name: str, nodes: int, template: str) -> str:
    """With the template of claims that its pods name."""
    spec = {"numNodes": nodes, "channel": {"resourceClaimTemplate": {"name": template}}}
    return json.dumps({"apiVersion": "resource.nvidia.com/v1beta1", "kind": "ComputeDomain", "metadata": {"name": name}, "spec": spec})


# Of NVIDIA's driver for dynamic resource allocation.
GPU_CLASS = json.dumps(
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu.nvidia.com"},
        "spec": {"selectors": [{"cel": {"expression": "device.driver == 'gpu.nvidia.com'"}}]},
    }
)


def claim(name: str, count: int, kind: str = "gpu") -> str:
    exactly = {"deviceClassName": f"{kind}.nvidia.com", "count": count}
    return json.dumps(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": name},
            "spec": {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}},
        }
    )
