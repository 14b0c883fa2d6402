"""The images of the tests: what a user of pods has, NVIDIA's programs, ours."""

from __future__ import annotations

import os
from pathlib import Path

import objects
from images import Image
from kubelet import PAUSE
from programs import find

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["NVMLKIT_BUILD_DIR"]).resolve()
COMMAND = BUILD / "bin/nvmlkit"
OUR_IMAGE = "localhost/nvmlkit:test"
# What a user of pods has: a shell and some programs.
TOOLS = ("sh", "sleep", "ls", "cat", "id", "env", "grep", "touch")
PLUGIN_TOOLS = (*TOOLS, "mount", "umount", "mknod", "chroot", "cp", "ln", "mkdir")
# NVIDIA's driver for dynamic resource allocation: a checkout with its chart and its templates, and its image.
DRA_DRIVER = Path(os.environ["NVMLKIT_DRA_DRIVER"]) if os.environ.get("NVMLKIT_DRA_DRIVER") else None
DRA_IMAGE = "localhost/dra-driver:1"
DRA_TOOLS = ("bash", "sh", "mount", "umount", "ln", "ls", "find", "head", "env", "basename", "date", "sleep", "cat")
# NVIDIA's GPU operator: a checkout with its chart and its assets, its image, and that of the plugin's programs which it starts.
GPU_OPERATOR = Path(os.environ["NVMLKIT_GPU_OPERATOR"]) if os.environ.get("NVMLKIT_GPU_OPERATOR") else None
OPERATOR_IMAGE = "localhost/gpu-operator:1"
PLUGIN_IMAGE = "localhost/k8s-device-plugin:1"
PROGRAMS_OF_OPERATOR = ("gpu-operator", "nvidia-validator", "cleanup-gpuclusters")
# dcgm-exporter: the file system of its container image, unpacked, and the image that is made of it again.
DCGM = Path(os.environ["NVMLKIT_DCGM"]) if os.environ.get("NVMLKIT_DCGM") else None
DCGM_IMAGE = "localhost/dcgm-exporter:1"
# A checkout of dcgm-exporter, with its chart.
DCGM_EXPORTER = Path(os.environ["NVMLKIT_DCGM_EXPORTER"]) if os.environ.get("NVMLKIT_DCGM_EXPORTER") else None
# NVSentinel: a checkout with its chart and its tables. Each program has an image of its own, as its builds make them.
NVSENTINEL = Path(os.environ["NVMLKIT_NVSENTINEL"]) if os.environ.get("NVMLKIT_NVSENTINEL") else None
PROGRAMS_OF_NVSENTINEL = ("platform-connectors", "syslog-health-monitor", "metadata-collector", "labeler", "fault-quarantine", "node-drainer",
                          "fault-remediation")  # fmt: skip
# Node Feature Discovery: a checkout with its chart, and its image.
NFD = Path(os.environ["NVMLKIT_NFD"]) if os.environ.get("NVMLKIT_NFD") else None
NFD_IMAGE = "localhost/node-feature-discovery:test"
PROGRAMS_OF_NFD = ("nfd-worker", "nfd-master")
PROGRAMS_OF_NVIDIA = (
    "nvidia-device-plugin",
    "gpu-feature-discovery",
    "gpu-kubelet-plugin",
    "compute-domain-kubelet-plugin",
    "compute-domain-controller",
    "compute-domain-daemon",
    "nvidia-mig-manager",
    "nvidia-mig-parted",
    "nvidia-cdi-hook",
    "nvidia-validator",
)
# Our image on a node with NVIDIA's kernel driver, which no test machine has: its line is bound over the container's /proc.
REAL_DRIVER = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024\n"
WITH_DRIVER = "localhost/nvmlkit-with-driver:test"
ENTER = "#!/bin/sh\nmount -o bind /driver /proc/driver && exec nvmlkit \"$@\"\n"


def real_smi() -> Path | None:
    for place in (os.environ.get("NVMLKIT_SMI", ""), *SOURCE.glob("build/third-party/*/usr/lib/nvidia/current/nvidia-smi")):
        if place and Path(place).exists():
            return Path(place)
    return None


def image_of_build(name: str = OUR_IMAGE) -> Image:
    image = Image(name)
    image.add(COMMAND, "/usr/bin/nvmlkit")
    for name in ("libnvidia-ml.so.1", "libcuda.so.1", "nvmlkit-cdi-hook", "nvidia-imex", "nvidia-imex-ctl"):
        for file in BUILD.glob(f"lib/{name}"):
            image.add(file, f"/usr/lib/{name}")
    for library in BUILD.glob("lib/impersonate/*/libnvidia-ml.so.1"):
        image.add(library, f"/usr/lib/{library.relative_to(BUILD / 'lib')}")
    image.config.update({"Entrypoint": ["/usr/bin/nvmlkit"], "Cmd": ["--help"], "User": "65532:65532"})
    return image


def image_with_driver(work: Path) -> Image:
    image = image_of_build(WITH_DRIVER)
    for name, text in (("version", REAL_DRIVER), ("enter", ENTER)):
        (work / name).write_text(text)
    (work / "enter").chmod(0o755)
    for tool in ("sh", "mount"):
        image.add(str(find(tool)), f"/usr/bin/{tool}")
    image.add(work / "version", "/driver/nvidia/version")
    image.add(work / "enter", "/usr/bin/enter")
    image.config["Entrypoint"] = ["/usr/bin/enter"]
    return image


def image_of_dra_driver(driver: Path) -> Image:
    """As its Dockerfile makes it."""
    image = Image(DRA_IMAGE)
    for program in (*DRA_TOOLS, *PROGRAMS_OF_NVIDIA):
        if path := find(program):
            image.add(path, f"/usr/bin/{program}")
    image.add(driver / "hack/kubelet-plugin-prestart.sh", "/usr/bin/kubelet-plugin-prestart.sh")
    for template in (driver / "templates").iterdir():
        image.add(template, f"/templates/{template.name}")
    return image


def images_of_operator(operator: Path) -> list[Image]:
    """As its Dockerfile and that of the device plugin make them: the runtime gives GPUs to each container of the second."""
    out = []
    for name, programs, user, visible in (
        (OPERATOR_IMAGE, PROGRAMS_OF_OPERATOR, "1000:1000", "void"),
        (PLUGIN_IMAGE, ("nvidia-device-plugin", "gpu-feature-discovery", "lsmod"), "0:0", "all"),
    ):
        image = Image(name)
        for program in (*TOOLS, "rm", "ln", *programs):
            if path := find(program):
                image.add(path, f"/usr/bin/{program}")
        image.config.update({"User": user, "Env": ["PATH=/usr/bin:/usr/sbin", f"NVIDIA_VISIBLE_DEVICES={visible}"]})
        out.append(image)
    for source, place in (("assets", ""), ("manifests", "manifests/"), ("validator/manifests", "../validator/manifests/")):
        for file in (operator / source).rglob("*.yaml"):
            out[0].add(file, os.path.normpath(f"/opt/gpu-operator/{place}{file.relative_to(operator / source)}"))
    return out


def name_of_nvsentinel(program: str) -> str:
    """Of the image, without the tag."""
    return f"localhost/nvsentinel/{program}"


def images_of_nvsentinel(checkout: Path) -> list[Image]:
    """Of the programs that are there, and of the script that resets a GPU. The syslog monitor opens the library of the journal by its
    name."""
    reset = Image(f"{name_of_nvsentinel('gpu-reset')}:1")
    for tool in ("bash", *TOOLS, "awk", "chroot", "date", "echo", "logger", "mkdir", "mktemp", "rm", "sed", "tr", "xargs"):
        reset.add(str(find(tool)), f"/usr/bin/{tool}")
    reset.add(checkout / "gpu-reset/gpu_reset.sh", "/usr/bin/gpu_reset.sh")
    reset.config.update({"Entrypoint": ["/usr/bin/bash", "/usr/bin/gpu_reset.sh"]})
    out = [reset]
    for program in PROGRAMS_OF_NVSENTINEL:
        if not (path := find(program)):
            continue
        image = Image(f"{name_of_nvsentinel(program)}:1")
        image.add(path, f"/usr/bin/{program}")
        if program == "syslog-health-monitor":
            for library in Path("/usr/lib").glob("*-linux-gnu/libsystemd.so.0"):
                image.add(library, str(library))
        image.config.update({"Entrypoint": [f"/usr/bin/{program}"], "User": "65532:65532"})
        if program == "metadata-collector":
            image.config["Env"] = ["PATH=/usr/bin:/usr/sbin", "NVIDIA_VISIBLE_DEVICES=all"]
        out.append(image)
    return out


def image_of_nfd() -> Image:
    image = Image(NFD_IMAGE)
    for program in PROGRAMS_OF_NFD:
        if path := find(program):
            image.add(path, f"/usr/bin/{program}")
    image.config["User"] = "65534:65534"
    return image


def image_of_dcgm_exporter(folder: Path) -> Image:
    """The runtime gives it all GPUs, where it is NVIDIA's."""
    image = Image(DCGM_IMAGE)
    for file in folder.rglob("*"):
        if file.is_file():
            image.files[str(file.relative_to(folder))] = file
    image.config.update({"Entrypoint": ["/usr/bin/dcgm-exporter"], "Env": ["PATH=/usr/bin:/usr/sbin", "NVIDIA_VISIBLE_DEVICES=all"]})
    return image


def images_of_tests(work: Path) -> list[Path]:
    out = []
    base = Image(objects.BASE)
    pause = Image(PAUSE)
    pause.add(str(find("sleep")), "/usr/bin/sleep")
    pause.config["Entrypoint"] = ["/usr/bin/sleep", "infinity"]
    for tool in TOOLS:
        base.add(str(find(tool)), f"/usr/bin/{tool}")
    images = [base, pause]
    programs = [program for program in PROGRAMS_OF_NVIDIA if find(program)]
    if programs:
        nvidia = Image(objects.NVIDIA)
        for tool in (*PLUGIN_TOOLS, *programs):
            nvidia.add(str(find(tool)), f"/usr/bin/{tool}")
        images.append(nvidia)
    if DRA_DRIVER:
        images.append(image_of_dra_driver(DRA_DRIVER))
    if GPU_OPERATOR:
        images += images_of_operator(GPU_OPERATOR)
    if NFD:
        images.append(image_of_nfd())
    if NVSENTINEL:
        images += images_of_nvsentinel(NVSENTINEL)
    # Parts of the C library that every distribution has, and none of these programs.
    for image in (base, *images[2:]):
        for later in (BUILD / "lib/libnvidia-ml.so.1", real_smi()):
            if later:
                image.add_libraries(later)
    images.append(image_with_driver(work))
    if DCGM:
        images.append(image_of_dcgm_exporter(DCGM))
    for number, image in enumerate(images):
        out.append(image.write(work / f"image-{number}.tar"))
    return out
