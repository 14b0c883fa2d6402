"""The kubelet's side of the device plugin API (v1beta1): plugins register, it watches their devices and allocates them."""

from __future__ import annotations

import threading
import time
from concurrent import futures
from pathlib import Path

import protobuf

VERSION = "v1beta1"


class Plugin:
    """A plugin that has registered, and the lists of devices that it has sent so far."""

    def __init__(self, grpc, socket: Path, resource: str) -> None:
        self.resource = resource
        self.lists: list[tuple[float, dict[str, str]]] = []  # when, and the health of each device
        self._news = threading.Condition()
        self._channel = grpc.insecure_channel(f"unix:{socket}")
        threading.Thread(target=self._watch, args=(grpc,), daemon=True).start()

    def _watch(self, grpc) -> None:
        try:
            for answer in self._channel.unary_stream(f"/{VERSION}.DevicePlugin/ListAndWatch")(b""):
                devices = {protobuf.text(device, 1): protobuf.text(device, 2) for device in protobuf.decode(answer).get(1, [])}
                with self._news:
                    self.lists.append((time.monotonic(), devices))
                    self._news.notify_all()
        except grpc.RpcError:
            pass  # the plugin has ended

    def wait(self, condition, seconds: float = 30) -> dict[str, str]:
        """The newest list of devices, once it meets the condition."""
        with self._news:
            met = self._news.wait_for(lambda: self.lists and condition(self.lists[-1][1]), seconds)
            if not met:
                raise TimeoutError(f"{self.resource}: the plugin has sent {self.lists}")
            return self.lists[-1][1]

    def healthy(self) -> set[str]:
        return {name for name, health in self.wait(bool).items() if health == "Healthy"}

    def allocate(self, *devices: str) -> Allocation:
        request = protobuf.encode({1: [{1: list(devices)}]})
        answer = self._channel.unary_unary(f"/{VERSION}.DevicePlugin/Allocate")(request, timeout=30)
        (container,) = protobuf.decode(answer)[1]
        return Allocation(container)


class Allocation:
    """What a container gets: variables and annotations, names of CDI devices."""

    def __init__(self, container: bytes) -> None:
        fields = protobuf.decode(container)
        self.variables = {protobuf.text(entry, 1): protobuf.text(entry, 2) for entry in fields.get(1, [])}
        self.annotations = {protobuf.text(entry, 1): protobuf.text(entry, 2) for entry in fields.get(4, [])}
        self.cdi_devices = [protobuf.text(device, 1) for device in fields.get(5, [])]


class Kubelet:
    def __init__(self, grpc, folder: Path) -> None:
        self.socket = folder / "kubelet.sock"
        self.plugins: dict[str, Plugin] = {}
        self._news = threading.Condition()

        def register(request: bytes, _context) -> bytes:
            resource = protobuf.text(request, 3)
            plugin = Plugin(grpc, folder / protobuf.text(request, 2), resource)
            with self._news:
                self.plugins[resource] = plugin
                self._news.notify_all()
            return b""

        self._server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
        methods = {"Register": grpc.unary_unary_rpc_method_handler(register)}
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(f"{VERSION}.Registration", methods),))
        self._server.add_insecure_port(f"unix:{self.socket}")
        self._server.start()

    def wait_for(self, resource: str, seconds: float = 60) -> Plugin:
        with self._news:
            if not self._news.wait_for(lambda: resource in self.plugins, seconds):
                raise TimeoutError(f"no plugin for {resource} has registered, only {sorted(self.plugins)}")
            return self.plugins[resource]

    def stop(self) -> None:
        self._server.stop(0).wait()
