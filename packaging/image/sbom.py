#!/usr/bin/env python3
"""Writes the software bill of materials of an image, as SPDX 2.3.

usage: sbom.py IMAGE ARCHITECTURE DEB... > FILE

Each package has its version, its source package, and a package URL, by which scanners find known vulnerabilities. The
digest is that of the package file. SOURCE_DATE_EPOCH is the time of the document.
"""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import urllib.parse

FIELDS = ("Package", "Version", "Architecture", "Source", "Maintainer", "Homepage", "Description")


def control(deb: str) -> dict[str, str]:
    """The fields of a package that the document names."""
    fields = {}
    for field in FIELDS:
        command = ["dpkg-deb", "--field", deb, field]
        fields[field] = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return fields


def digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def package(deb: str) -> dict:
    fields = control(deb)
    source = fields["Source"].split(" ")[0] or fields["Package"]
    ours = source.startswith("nvmlkit")
    name, version = fields["Package"], fields["Version"]
    purl = f"pkg:deb/{'nvmlkit' if ours else 'debian'}/{name}@{urllib.parse.quote(version, safe='')}"
    purl += f"?arch={fields['Architecture']}" + ("" if ours else "&distro=bookworm")
    return {
        "SPDXID": "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: the nvmlkit authors" if ours else "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "homepage": fields["Homepage"] or "NOASSERTION",
        "filesAnalyzed": False,
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest(deb)}],
        "sourceInfo": f"built from the source package {source}",
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "comment": f"license: /usr/share/doc/{name}/copyright",
        "copyrightText": "NOASSERTION",
        "summary": fields["Description"].split("\n")[0],
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}
        ],
    }


def document(image: str, architecture: str, debs: list[str]) -> dict:
    packages = sorted((package(deb) for deb in debs), key=lambda entry: entry["name"])
    content = "\n".join(entry["checksums"][0]["checksumValue"] for entry in packages)
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    root = {
        "SPDXID": "SPDXRef-Image",
        "name": image,
        "versionInfo": architecture,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "primaryPackagePurpose": "CONTAINER",
    }
    relationships = [("SPDXRef-DOCUMENT", "DESCRIBES", root["SPDXID"])]
    relationships += [(root["SPDXID"], "CONTAINS", entry["SPDXID"]) for entry in packages]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{image} ({architecture})",
        "documentNamespace": f"urn:nvmlkit:image:{architecture}:{hashlib.sha256(content.encode()).hexdigest()}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: nvmlkit scripts/image"]},
        "packages": [root, *packages],
        "relationships": [
            {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": related}
            for element, kind, related in relationships
        ],
    }


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    json.dump(document(sys.argv[1], sys.argv[2], sys.argv[3:]), sys.stdout, indent=1, ensure_ascii=False)
    print()
