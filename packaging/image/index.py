#!/usr/bin/env python3
"""Gives an OCI layout one name that leads to the image of each architecture.

usage: index.py LAYOUT NAME ARCHITECTURE...

The layout has one tag for each architecture, named like it. Afterwards its index has one entry, NAME: the image, or an index
of images if there are several. Engines choose the image of their architecture from such an index.

Docker with its own image store and `kind load image-archive` read no index, but `manifest.json`, as in an archive of `docker save`. It
has no index of several images, so there each has a name of its own then, NAME-ARCHITECTURE.
"""

import hashlib
import json
import pathlib
import sys

INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
REFERENCE = "org.opencontainers.image.ref.name"
CONTAINERD = "io.containerd.image.name"


def written(layout: pathlib.Path, content: dict) -> dict:
    """Writes an index as a blob; returns what leads to it."""
    data = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    name = hashlib.sha256(data).hexdigest()
    (layout / "blobs/sha256" / name).write_bytes(data)
    return {"mediaType": INDEX_TYPE, "digest": f"sha256:{name}", "size": len(data)}


def path_in_layout(entry: dict) -> str:
    return "blobs/" + entry["digest"].replace(":", "/")


def described_for_docker(layout: pathlib.Path, name: str, images: list[dict]) -> None:
    described = []
    for image in images:
        manifest = json.loads((layout / path_in_layout(image)).read_text())
        own_name = name if len(images) == 1 else f"{name}-{image['platform']['architecture']}"
        layers = [path_in_layout(layer) for layer in manifest["layers"]]
        described.append({"Config": path_in_layout(manifest["config"]), "RepoTags": [own_name], "Layers": layers})
    (layout / "manifest.json").write_text(json.dumps(described) + "\n")


def named(layout: pathlib.Path, name: str, architectures: list[str]) -> None:
    index = json.loads((layout / "index.json").read_text())
    by_tag = {entry["annotations"][REFERENCE]: entry for entry in index["manifests"]}
    images = [
        {key: by_tag[architecture][key] for key in ("mediaType", "digest", "size")}
        | {"platform": {"architecture": architecture, "os": "linux"}}
        for architecture in architectures
    ]
    only = images[0]
    if len(images) > 1:
        only = written(layout, {"schemaVersion": 2, "mediaType": INDEX_TYPE, "manifests": images})
    described_for_docker(layout, name, images)
    # Podman takes the whole name from the first annotation, containerd and Docker from the second.
    only = only | {"annotations": {REFERENCE: name, CONTAINERD: name}}
    (layout / "index.json").write_text(json.dumps({"schemaVersion": 2, "mediaType": INDEX_TYPE, "manifests": [only]}) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    named(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
