"""What a change did to a surface: the new value of each key that is not as before, in as few entries as possible.

A folder, or a GPU, that is gone or new as a whole is one entry. Of texts that grow, such as logs, it is what came."""

from __future__ import annotations

import re
from collections import Counter

Values = dict[str, str]
GROWING = ("messages", "fabric manager", "events")


def parents(key: str) -> list[str]:
    """Every group that the key belongs to, the largest first: `a/b/` of `a/b/c`, `gpu1 *` of `gpu1 Name`."""
    out = []
    if match := re.match(r"(gpu\d+) .", key):
        out.append(f"{match[1]} *")
    return out + [key[: match.end()] for match in re.finditer("/", key)]


def groups_of(values: Values) -> set[str]:
    return {group for key in values if not key.endswith(" handle") for group in parents(key)}


def appended(before: str, after: str) -> str:
    old, new = before.splitlines(), after.splitlines()
    if new[: len(old)] == old:
        return ", ".join(new[len(old) :])
    return ", ".join([f"without: {line}" for line in old if line not in new] + [line for line in new if line not in old])


def is_error_now(member: str, before: Values, after: Values) -> bool:
    """The member of a structure in place of which there is an error for the whole structure."""
    whole = member.rpartition(" ")[0]
    return whole in after and whole not in before


def is_silent(surface: Values) -> bool:
    """The surface has failed as a whole, and shows nothing of any GPU."""
    return any(surface.get(key, good) != good for key, good in (("init", "SUCCESS"), ("cuInit", "SUCCESS"), ("status of -q", "0")))


def gather(differences: Values) -> Values:
    """A GPU of which more than 20 values are now one and the same, such as RESET_REQUIRED, is one entry, `gpu1 (most)`. So are the
    members of structures that are gone with it."""
    out = dict(differences)
    pairs = Counter((key.split(" ")[0], value.removeprefix("new: ")) for key, value in differences.items())
    for (gpu, value), count in pairs.items():
        if count > 20 and value not in ("gone", "new"):
            gathered = (value, f"new: {value}", "gone", "new")
            out = {key: now for key, now in out.items() if key.split(" ")[0] != gpu or now not in gathered}
            out[f"{gpu} (most)"] = value
    return out


def changes(before: Values, after: Values) -> Values:
    there, here = groups_of(before), groups_of(after)
    out: Values = {}
    for key in {**before, **after}:
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        if key in GROWING:
            out[key] = appended(old or "", new or "")
            continue
        if new is None and is_error_now(key, before, after):
            continue
        if new is None and (is_silent(after) or after.get(f"{key.split(' ')[0]} handle", "SUCCESS") != "SUCCESS"):
            continue
        if new is None:
            group = next((each for each in parents(key) if each not in here), key)
            out[group] = "gone"
        elif old is None:
            group = next((each for each in parents(key) if each not in there), key)
            out[group] = "new" if group != key or "/" in key else f"new: {new}"
        else:
            out[key] = new or "(empty)"
    return gather({key: value for key, value in out.items() if value})
