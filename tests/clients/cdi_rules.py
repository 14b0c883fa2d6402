"""What the Container Device Interface asks of a specification, in our own words: version 0.6.0 of its document, and what
runtimes refuse."""

from __future__ import annotations

import re

VERSIONS = ("0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0")
NAME = re.compile(r"[A-Za-z]([A-Za-z0-9_.-]*[A-Za-z0-9])?")  # of a vendor and of a class
DEVICE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.:-]*[A-Za-z0-9])?")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*")

# Of each object: the members that it must have and those that it may have, with their types. Others are refused.
SPECIFICATION = ({"cdiVersion": str, "kind": str, "devices": list}, {"containerEdits": dict, "annotations": dict})
DEVICE_OBJECT = ({"name": str, "containerEdits": dict}, {"annotations": dict})
EDITS = ({}, {"env": list, "deviceNodes": list, "mounts": list, "hooks": list})
MOUNT = ({"hostPath": str, "containerPath": str}, {"type": str, "options": list})
NODE = ({"path": str}, {"hostPath": str, "type": str, "major": int, "minor": int, "fileMode": int, "permissions": str, "uid": int, "gid": int})
HOOK = ({"hookName": str, "path": str}, {"args": list, "env": list, "timeout": int})


def problems(document: dict) -> list[str]:
    found: list[str] = []

    def shape(where: str, value: object, rules: tuple[dict, dict]) -> bool:
        if not isinstance(value, dict):
            found.append(f"{where}: is no object")
            return False
        must, may = rules
        found.extend(f"{where}: lacks {name}" for name in must if name not in value)
        for name, member in value.items():
            kind = must.get(name) or may.get(name)
            if kind is None:
                found.append(f"{where}: {name} is unknown")
            elif not isinstance(member, kind) or isinstance(member, bool):
                found.append(f"{where}: {name} is no {kind.__name__}")
        return True

    def strings(where: str, values: list, pattern: re.Pattern[str] = re.compile(".+")) -> None:
        found.extend(f"{where}: {value!r}" for value in values if not isinstance(value, str) or not pattern.fullmatch(value))

    def edits(where: str, value: dict) -> None:
        if not shape(where, value, EDITS):
            return
        strings(f"{where}.env", value.get("env", []), VARIABLE)
        for kind, rules in (("mounts", MOUNT), ("deviceNodes", NODE), ("hooks", HOOK)):
            for number, entry in enumerate(value.get(kind, [])):
                here = f"{where}.{kind}[{number}]"
                if shape(here, entry, rules):
                    strings(f"{here}.options", entry.get("options", []))
                    paths = [entry[name] for name in ("hostPath", "containerPath", "path") if name in entry]
                    found.extend(f"{here}: {path!r} is not absolute" for path in paths if not path.startswith("/"))
        targets = [mount.get("containerPath") for mount in value.get("mounts", [])]
        found.extend(f"{where}: two mounts at {target}" for target in {t for t in targets if targets.count(t) > 1})

    if not shape("specification", document, SPECIFICATION) or found:
        return found
    if document["cdiVersion"] not in VERSIONS:
        found.append(f"cdiVersion {document['cdiVersion']!r}")
    vendor, slash, kind = document["kind"].partition("/")
    strings("kind", [vendor, kind], NAME)
    if not slash or not document["devices"]:
        found.append("kind has no class, or there are no devices")
    edits("containerEdits", document.get("containerEdits", {}))
    for number, device in enumerate(document["devices"]):
        if shape(f"devices[{number}]", device, DEVICE_OBJECT):
            strings(f"devices[{number}].name", [device.get("name")], DEVICE)
            edits(f"devices[{number}]", device.get("containerEdits", {}))
            if not any(device.get("containerEdits", {}).values()):
                found.append(f"devices[{number}]: its edits are empty, which runtimes refuse")
    names = [device.get("name") for device in document["devices"]]
    found.extend(f"two devices {name}" for name in {n for n in names if names.count(n) > 1})
    return found
