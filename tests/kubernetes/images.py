"""Small container images without a container engine: OCI archives of programs of this machine with their libraries."""

from __future__ import annotations

import hashlib
import io
import json
import platform
import re
import subprocess
import tarfile
from pathlib import Path

ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


def libraries(program: str) -> set[str]:
    """The files that the loader needs for the program, the loader among them; nothing for a static program or a script."""
    result = subprocess.run(["ldd", program], capture_output=True, text=True)
    return set(re.findall(r"(?:=> |^\s*)(/\S+) \(0x", result.stdout, re.M))


class Image:
    def __init__(self, name: str) -> None:
        self.name = name
        self.files: dict[str, Path] = {}
        self.links: dict[str, str] = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib64": "usr/lib64"}
        self.config: dict[str, object] = {"Env": ["PATH=/usr/bin:/bin:/usr/sbin:/sbin"]}

    def add(self, source: str | Path, place: str) -> None:
        """A file with the libraries that it needs."""
        self.files[self._of_usr(place)] = Path(source).resolve()
        self.add_libraries(source)

    def add_libraries(self, source: str | Path) -> None:
        """The libraries of a file that comes into the container later."""
        for library in libraries(str(source)):
            self.files[self._of_usr(library)] = Path(library).resolve()

    @staticmethod
    def _of_usr(place: str) -> str:
        place = place.lstrip("/")
        return f"usr/{place}" if place.split("/")[0] in ("bin", "sbin", "lib", "lib64") else place

    def _layer(self) -> bytes:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as tar:

            def folder(name: str, mode: int = 0o755) -> None:
                entry = tarfile.TarInfo(name)
                entry.type, entry.mode = tarfile.DIRTYPE, mode
                tar.addfile(entry)

            parents = {str(parent) for place in self.files for parent in Path(place).parents if str(parent) != "."}
            for parent in sorted(parents | {"usr", "usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "etc", "proc", "sys", "dev", "run"}):
                folder(parent)
            folder("tmp", 0o1777)
            for name, target in self.links.items():
                entry = tarfile.TarInfo(name)
                entry.type, entry.linkname = tarfile.SYMTYPE, target
                tar.addfile(entry)
            for place, source in sorted(self.files.items()):
                entry = tarfile.TarInfo(place)
                entry.mode, entry.size = source.stat().st_mode & 0o777, source.stat().st_size
                with source.open("rb") as data:
                    tar.addfile(entry, data)
        return out.getvalue()

    def write(self, path: Path) -> Path:
        blobs: dict[str, bytes] = {}

        def blob(data: bytes, kind: str) -> dict[str, object]:
            digest = hashlib.sha256(data).hexdigest()
            blobs[f"blobs/sha256/{digest}"] = data
            return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(data)}

        layer = blob(self._layer(), "layer.v1.tar")
        config = {
            "os": "linux",
            "architecture": ARCHITECTURE,
            "config": self.config,
            "rootfs": {"type": "layers", "diff_ids": [layer["digest"]]},
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": blob(json.dumps(config).encode(), "config.v1+json"),
            "layers": [layer],
        }
        entry = blob(json.dumps(manifest).encode(), "manifest.v1+json")
        entry["annotations"] = {"io.containerd.image.name": self.name, "org.opencontainers.image.ref.name": self.name}
        blobs["index.json"] = json.dumps({"schemaVersion": 2, "manifests": [entry]}).encode()
        blobs["oci-layout"] = b'{"imageLayoutVersion": "1.0.0"}'
        with tarfile.open(path, "w") as tar:
            for name, data in blobs.items():
                member = tarfile.TarInfo(name)
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
        return path
