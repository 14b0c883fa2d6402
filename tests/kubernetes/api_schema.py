"""Checks objects against the Kubernetes API, by the models of its Python client (Debian's python3-kubernetes): every key must be
known, every value of the key's type, every needed key there."""

from __future__ import annotations

import datetime
import importlib
import re
from typing import Any

PLAIN = {"str": str, "int": int, "bool": bool, "float": (int, float), "datetime": (str, datetime.datetime)}


def client() -> Any:
    """The package, or None where it is not installed."""
    try:
        return importlib.import_module("kubernetes.client")
    except ImportError:
        return None


def model_of(document: dict[str, Any]) -> Any:
    version = str(document.get("apiVersion", ""))
    group, _, number = version.rpartition("/")
    number = number[:1].upper() + number[1:]
    prefix = "Core" if group == "" else "".join(part.capitalize() for part in group.split(".")[0].split("-"))
    kind = document.get("kind", "")
    for name in (f"{number}{kind}", f"{prefix}{number}{kind}"):
        if model := getattr(client(), name, None):
            return model
    return None


def problems(value: Any, kind: str, path: str) -> list[str]:
    """What is wrong with a value that has to be of this type of the client."""
    if found := re.fullmatch(r"list\[(.+)\]", kind):
        if not isinstance(value, list):
            return [f"{path}: expected a list"]
        return [text for i, item in enumerate(value) for text in problems(item, found[1], f"{path}[{i}]")]
    if found := re.fullmatch(r"dict\(str, (.+)\)", kind):
        if not isinstance(value, dict):
            return [f"{path}: expected a map"]
        return [text for key, item in value.items() for text in problems(item, found[1], f"{path}.{key}")]
    if kind == "object":
        return []
    if kind in PLAIN:
        good = isinstance(value, PLAIN[kind]) and (kind == "bool" or not isinstance(value, bool))
        return [] if good else [f"{path}: expected {kind}, got {value!r}"]
    return problems_of_object(value, getattr(client(), kind), path)


def problems_of_object(value: Any, model: Any, path: str) -> list[str]:
    if not isinstance(value, dict):
        # A number or a text: the only types of the API without keys of their own.
        plain = not model.openapi_types and isinstance(value, (int, str))
        return [] if plain else [f"{path}: expected a map, got {value!r}"]
    names = {json: python for python, json in model.attribute_map.items()}
    out = [f"{path}.{key}: no such field" for key in value if key not in names]
    for key, item in value.items():
        if key in names:
            out += problems(item, model.openapi_types[names[key]], f"{path}.{key}")
    try:
        model(**{names[key]: item for key, item in value.items() if key in names})
    except ValueError as error:
        out.append(f"{path}: {error}")
    return out


def check(document: dict[str, Any]) -> list[str]:
    name = f"{document.get('kind')}/{document.get('metadata', {}).get('name')}"
    model = model_of(document)
    if model is None:
        return [f"{name}: the API has no {document.get('apiVersion')} {document.get('kind')}"]
    return problems_of_object(document, model, name)
