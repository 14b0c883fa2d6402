"""The chart on a real node, with NVIDIA's device plugin where it is in PATH. The tests run in the order of their numbers, each on
the node that the one before left. tests/kubernetes/run starts this in namespaces of its own."""

from __future__ import annotations

import os
import re
import subprocess
import unittest
from pathlib import Path

import objects
from cluster import NODE, PAUSE, Cluster
from images import Image
from programs import find

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["NVMLKIT_BUILD_DIR"]).resolve()
CHART = SOURCE / "deploy/chart/nvmlkit"
COMMAND = BUILD / "bin/nvmlkit"
STATE = Path(objects.ROOT) / "run/nvmlkit/state"
FEATURES = "/etc/kubernetes/node-feature-discovery/features.d/nvmlkit"
VALIDATIONS = "/run/nvidia/validations"
LIBRARIES = f"/driver-root/usr/lib/{os.uname().machine}-linux-gnu"
OUR_IMAGE = "localhost/nvmlkit:test"
# What a user of pods has: a shell and some programs.
TOOLS = ("sh", "sleep", "ls", "cat", "id", "env", "grep", "touch")
PLUGIN_TOOLS = (*TOOLS, "mount", "umount", "mknod", "chroot")
PROGRAMS_OF_NVIDIA = ("nvidia-device-plugin", "gpu-feature-discovery", "gpu-kubelet-plugin")


def real_smi() -> Path | None:
    for place in (os.environ.get("NVMLKIT_SMI", ""), *SOURCE.glob("build/third-party/*/usr/lib/nvidia/current/nvidia-smi")):
        if place and Path(place).exists():
            return Path(place)
    return None


def image_of_build() -> Image:
    image = Image(OUR_IMAGE)
    image.add(COMMAND, "/usr/bin/nvmlkit")
    for library in (*BUILD.glob("lib/libnvidia-ml.so.1"), *BUILD.glob("lib/libcuda.so.1")):
        image.add(library, f"/usr/lib/{library.name}")
    for library in BUILD.glob("lib/impersonate/*/libnvidia-ml.so.1"):
        image.add(library, f"/usr/lib/{library.relative_to(BUILD / 'lib')}")
    image.config.update({"Entrypoint": ["/usr/bin/nvmlkit"], "Cmd": ["--help"], "User": "65532:65532"})
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
    # Parts of the C library that every distribution has, and none of these programs.
    for image in (base, *images[2:]):
        for later in (BUILD / "lib/libnvidia-ml.so.1", real_smi()):
            if later:
                image.add_libraries(later)
    for number, image in enumerate(images):
        out.append(image.write(work / f"image-{number}.tar"))
    return out


def entries(*folders: str) -> set[str]:
    out = set()
    for folder in folders:
        out |= {os.path.join(top, name) for top, names, files in os.walk(folder) for name in (*names, *files)}
    return out


class NodeTest(unittest.TestCase):
    cluster: Cluster
    before: set[str]

    @classmethod
    def setUpClass(cls) -> None:
        work = Path(os.environ["NVMLKIT_CLUSTER_WORK"])
        cls.cluster = Cluster(work)
        cls.addClassCleanup(cls.cluster.stop)
        images = images_of_tests(work)
        named = os.environ.get("NVMLKIT_IMAGE")
        images.append(Path(named) if named else image_of_build().write(work / "nvmlkit.tar"))
        cls.cluster.start(images)
        cls.image = cls.name_of_our_image()
        cls.before = cls.entries_of_node()

    @classmethod
    def name_of_our_image(cls) -> str:
        names = cls.cluster.ctr("images", "list", "-q").stdout.split()
        ours = [name for name in names if re.search(r"/nvmlkit:", name)]
        assert len(ours) == 1, names
        return ours[0]

    @staticmethod
    def entries_of_node() -> set[str]:
        devices = {path for path in entries("/dev") if "nvidia" in path}
        return devices | entries("/run/nvidia", "/run/cdi", "/var/run/cdi", "/etc/kubernetes", "/etc/cdi")

    def settings(self, *more: str) -> list[str]:
        repository, tag = self.image.rsplit(":", 1)
        out = [f"image.repository={repository}", f"image.tag={tag}", f"validations={VALIDATIONS}", f"features={FEATURES}", *more]
        if smi := real_smi():
            out.append(f"nvidiaSmi.hostPath={smi}")
        return [word for setting in out for word in ("--set", setting)]

    def chart(self, verb: str, *more: str, wait: bool = True) -> str:
        options = ["--namespace", "nvmlkit", *(["--wait", "--timeout", "60s"] if wait else [])]
        if verb == "install":
            options.append("--create-namespace")
        return self.cluster.helm(verb, "nvmlkit", str(CHART), *options, *self.settings(*more))

    def nvmlkit(self, *arguments: str) -> str:
        """The command of a person who is on the node."""
        result = subprocess.run([COMMAND, *arguments, "--state", STATE], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def uuids(self) -> list[str]:
        count = len(list(Path(objects.ROOT).glob("dev/nvidia[0-9]*")))
        return [self.nvmlkit("get", f"gpu={index}", "uuid").strip() for index in range(count)]

    def allocatable(self) -> str:
        return self.cluster.node(r"{.status.allocatable.nvidia\.com/gpu}")

    def run_pod(self, name: str, command: str, gpus: int = 0, claimed: str = "", **spec: object) -> str:
        """What the pod printed; it stays until the end of the test."""
        manifest = objects.pod(name, f"({command}) 2>&1; echo end; sleep 3600", gpus, claimed, **spec)
        delete = ("delete", "pod", name, "--force", "--grace-period=0")
        self.cluster.apply(manifest)
        self.addCleanup(self.cluster.kubectl, *delete, check=False)

        def has_ended() -> bool:
            # The kubelet refuses a pod that comes while a device plugin starts anew. A controller would make it again.
            if self.cluster.kubectl("get", "pod", name, "-o", "jsonpath={.status.reason}", check=False) == "UnexpectedAdmissionError":
                self.cluster.kubectl(*delete)
                self.cluster.apply(manifest)
            return self.cluster.kubectl("logs", name, check=False).endswith("end\n")

        self.cluster.wait(f"pod {name}", has_ended)
        return self.cluster.kubectl("logs", name).removesuffix("end\n")

    def need(self, *programs: str) -> None:
        for program in programs:
            if find(program) is None:
                self.skipTest(f"no {program} in PATH")
        if real_smi() is None:
            self.skipTest("no nvidia-smi: scripts/setup, or NVMLKIT_SMI")

    def start_plugin(self, gpus: int) -> None:
        self.cluster.apply(objects.device_plugin(str(find("nvidia-cdi-hook"))))
        self.cluster.wait(f"{gpus} GPUs", lambda: self.allocatable() == str(gpus))

    def restart_plugin(self) -> None:
        self.cluster.kubectl("-n", "kube-system", "delete", "pod", "-l", "name=nvidia-device-plugin", "--grace-period=0", "--force")

    # ---- the chart alone

    def test_10_install(self) -> None:
        self.chart("install")
        uuids = self.uuids()
        self.assertEqual(len(set(uuids)), 8)
        plain = subprocess.run([COMMAND, "run", "-m", "h100", "--", COMMAND, "list"], capture_output=True, text=True).stdout
        self.assertFalse([uuid for uuid in uuids if uuid in plain], "the UUIDs of every other node")
        self.assertIn("pci-0302_10de.present=true\n", Path(FEATURES).read_text())
        self.assertIn(f"NVIDIA_DRIVER_ROOT={objects.ROOT}\n", Path(VALIDATIONS, "driver-ready").read_text())
        self.assertTrue(Path("/var/run/cdi/nvidia.com-gpu.yaml").exists())

    def test_11_the_machine_survives_a_kill_of_its_container(self) -> None:
        self.nvmlkit("fault", "gpu=3", "lost")
        pid = self.cluster.ctr("tasks", "list").stdout
        node = [line.split()[1] for line in pid.splitlines() if self.is_node(line.split())]
        self.assertEqual(len(node), 1, pid)
        os.kill(int(node[0]), 9)
        restarts = "jsonpath={.items[0].status.containerStatuses[0].restartCount}/{.items[0].status.containerStatuses[0].ready}"
        self.cluster.wait("a restart", lambda: self.cluster.kubectl("-n", "nvmlkit", "get", "pods", "-o", restarts) == "1/true")
        self.assertIn("lost", self.nvmlkit("status"))
        self.nvmlkit("heal", "gpu=3")

    @staticmethod
    def is_node(task: list[str]) -> bool:
        try:
            words = Path(f"/proc/{task[1]}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return words[1:3] == [b"node", objects.ROOT.encode()]

    # ---- with NVIDIA's device plugin

    def test_12_the_plugin_with_our_specification(self) -> None:
        """The steps of the guide for nodes without NVIDIA's container toolkit."""
        self.need("nvidia-device-plugin")
        self.chart("upgrade", "cdi.kind=k8s.device-plugin.nvidia.com/gpu")
        example = (SOURCE / "deploy/examples/device-plugin.yaml").read_text()
        manifest, count = re.subn(r"image: nvcr\.io/nvidia/k8s-device-plugin:\S+", f"image: {objects.NVIDIA}", example)
        self.assertEqual(count, 1)
        self.cluster.apply(manifest)
        self.addCleanup(self.cluster.kubectl, "delete", "-f", "-", text=manifest)
        self.cluster.wait("8 GPUs", lambda: self.allocatable() == "8")
        text = self.run_pod("own", "nvidia-smi -L", 2)
        self.assertEqual(len(set(re.findall(r"^GPU \d: NVIDIA H100 80GB HBM3 \(UUID: (GPU-\S+)\)$", text, re.M)) & set(self.uuids())), 2, text)
        self.chart("upgrade")

    def test_20_two_gpus_in_a_pod(self) -> None:
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        self.start_plugin(8)
        seen: list[str] = []
        for name in ("first", "second"):
            text = self.run_pod(name, "nvidia-smi -L; env | grep -i nvmlkit", 2)
            found = re.findall(r"^GPU (\d): NVIDIA H100 80GB HBM3 \(UUID: (GPU-[0-9a-f-]+)\)$", text, re.M)
            self.assertEqual([index for index, _ in found], ["0", "1"], text)
            self.assertEqual(len(text.splitlines()), 2, text)
            seen += [uuid for _, uuid in found]
        self.assertEqual(len(set(seen)), 4, seen)
        self.assertLessEqual(set(seen), set(self.uuids()))

    def test_21_a_user_without_rights(self) -> None:
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        text = self.run_pod("nonroot", "id -u; nvidia-smi -L", 1, securityContext={"runAsUser": 1000, "runAsGroup": 1000})
        self.assertRegex(text, r"\A1000\nGPU 0: NVIDIA H100 80GB HBM3 \(UUID: GPU-[0-9a-f-]+\)\n\Z")

    def test_22_a_pod_without_a_gpu(self) -> None:
        text = self.run_pod("plain", "ls /dev; ls /run; nvidia-smi -L")
        self.assertIn("nvidia-smi: not found", text)
        self.assertNotIn("nvidia0", text)

    def test_23_a_setting_in_a_pod_is_seen_on_the_node(self) -> None:
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        text = self.run_pod("setter", "nvidia-smi -i 0 -pl 333; nvidia-smi -L", 1)
        uuid = re.findall(r"GPU-[0-9a-f-]+", text)[-1]
        index = self.uuids().index(uuid)
        self.assertIn("333000", self.nvmlkit("get", f"gpu={index}", "power.limit_mw"), text)

    def test_24_a_fault_takes_a_gpu_away(self) -> None:
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        # As in the guide: by the pod of the node.
        of_pod = ("-n", "nvmlkit", "exec", "ds/nvmlkit-default", "--", "nvmlkit")
        self.cluster.kubectl(*of_pod, "fault", "gpu=5", "xid", "48", "--state", str(STATE))
        seconds = self.cluster.wait("the fault", lambda: self.allocatable() == "7")
        print(f"allocatable 7 after {seconds:.1f} s", flush=True)
        self.cluster.kubectl(*of_pod, "heal", "gpu=5", "--state", str(STATE))
        self.restart_plugin()
        self.cluster.wait("the healed GPU", lambda: self.allocatable() == "8")

    # ---- with others of NVIDIA's programs

    def test_26_labels_of_gpu_feature_discovery(self) -> None:
        self.need("gpu-feature-discovery")
        command = "gpu-feature-discovery --oneshot --use-node-feature-api=false --no-timestamp --output-file=/tmp/labels; cat /tmp/labels"
        environment = {"NODE_NAME": NODE, "NVIDIA_DRIVER_ROOT": objects.ROOT, "LD_LIBRARY_PATH": LIBRARIES}
        command += "; echo end; sleep 3600"
        self.cluster.apply(objects.program_of_nvidia("gfd", ["sh", "-c", command], environment, {"sys": "/sys"}))
        self.addCleanup(self.cluster.kubectl, "-n", "kube-system", "delete", "ds", "gfd", check=False)
        log = ("-n", "kube-system", "logs", "-l", "name=gfd", "--tail=-1")
        self.cluster.wait("labels", lambda: self.cluster.kubectl(*log, check=False).endswith("end\n"))
        text = self.cluster.kubectl(*log)
        for label in ("gpu.product=NVIDIA-H100-80GB-HBM3", "gpu.count=8", "gpu.memory=81559", "gpu.family=hopper", "mig.capable=true"):
            self.assertIn(f"nvidia.com/{label}\n", text)

    def test_27_a_claim_of_dynamic_resource_allocation(self) -> None:
        self.need("gpu-kubelet-plugin", "nvidia-cdi-hook")
        self.cluster.apply(objects.DEVICE_CLASS)
        self.cluster.apply(objects.dra_driver(str(find("nvidia-cdi-hook")), str(self.cluster.work), NODE))
        self.addCleanup(self.cluster.kubectl, "-n", "kube-system", "delete", "ds", "nvidia-dra-driver", check=False)
        path = "jsonpath={.items[*].spec.devices[*].attributes.uuid.string}"
        slices = ("get", "resourceslices", "-o", path)
        self.cluster.wait("the slice", lambda: set(self.cluster.kubectl(*slices, check=False).split()) == set(self.uuids()))
        self.cluster.apply(objects.claim("two", 2))
        text = self.run_pod("claims", "nvidia-smi -L; env | grep -i nvmlkit", claimed="two")
        found = re.findall(r"^GPU \d: NVIDIA H100 80GB HBM3 \(UUID: (GPU-[0-9a-f-]+)\)$", text, re.M)
        self.assertEqual(len(set(found)), 2, text)
        self.assertLessEqual(set(found), set(self.uuids()))

    # ---- other machines, bad input, the end

    def logs(self, pool: str) -> str:
        return self.cluster.kubectl("-n", "nvmlkit", "logs", "-l", f"nvmlkit.io/pool={pool}", "--tail=3", check=False)

    def test_30_a_node_chooses_its_machine_by_label(self) -> None:
        labels = ("machineLabel.enabled=true", "machineLabel.machines={t4,two-a30}", "machines.two-a30.base=a30", "gpus=2")
        self.chart("upgrade", *labels, wait=False)
        self.cluster.kubectl("label", "node", NODE, "nvmlkit.io/machine=t4")
        self.cluster.wait("the T4", lambda: STATE.exists() and "Tesla T4" in self.status())
        self.cluster.kubectl("label", "node", NODE, "nvmlkit.io/machine=two-a30", "--overwrite")
        self.cluster.wait("the A30", lambda: STATE.exists() and "NVIDIA A30" in self.status())
        if find("nvidia-device-plugin"):
            self.restart_plugin()
            self.cluster.wait("two GPUs", lambda: self.allocatable() == "2")
        self.cluster.kubectl("label", "node", NODE, "nvmlkit.io/machine-")

    def status(self) -> str:
        return subprocess.run([COMMAND, "status", "--state", STATE], capture_output=True, text=True).stdout

    def test_31_bad_input_is_one_line_in_the_log(self) -> None:
        self.chart("upgrade", "pools[0].name=default", "pools[0].machine=h1000", wait=False)
        line = "nvmlkit: NVMLKIT_MACHINE: unknown machine 'h1000'; did you mean 'h100'?\n"
        self.cluster.wait("the message", lambda: self.logs("default") == line)
        self.chart("upgrade", "pools[0].name=default", "pools[0].machine=mine", "machines.mine.frobs=3", wait=False)
        self.cluster.wait("the message", lambda: "/machine/mine.yaml:1:1: " in self.logs("default"))
        self.assertEqual(len(self.logs("default").splitlines()), 1, self.logs("default"))
        events = ("-n", "nvmlkit", "get", "events", "-o", "custom-columns=REASON:.reason")
        self.cluster.wait("the event", lambda: "BackOff" in self.cluster.kubectl(*events, check=False))

    def test_40_uninstall_leaves_the_node_as_it_was(self) -> None:
        self.chart("upgrade", "kernelLog=/run/nvidia/kernel.log")
        self.assertTrue(STATE.exists())
        self.cluster.kubectl("-n", "kube-system", "delete", "ds", "nvidia-device-plugin", "--ignore-not-found")
        self.cluster.helm("uninstall", "nvmlkit", "--namespace", "nvmlkit", "--wait")
        self.cluster.wait("the pods' end", lambda: "pod/" not in self.cluster.kubectl("-n", "nvmlkit", "get", "pods", "-o", "name"))
        left = self.entries_of_node() - self.before
        # The kubelet makes the folders of a volume; the log is the node's; NVIDIA's programs leave their specifications.
        folders = {"/run/nvidia", VALIDATIONS, "/run/cdi", "/var/run/cdi", *map(str, Path(FEATURES).parents)}
        left -= folders | {"/run/nvidia/kernel.log"}
        left = {path for path in left if not re.search(r"/k8s\.[a-z-]+\.nvidia\.com-", path)}
        self.assertEqual(left, set())


if __name__ == "__main__":
    unittest.main()
