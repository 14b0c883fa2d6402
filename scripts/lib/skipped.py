#!/usr/bin/env python3
"""Prints the tests of ctest's JUnit file that were skipped, counted by reason, and the summary of all.

    skipped.py RESULTS"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as xml
from collections import Counter

# How a test says why: GoogleTest below the place, the client tests behind their name.
REASONS = (re.compile(r": Skipped\n(.+)"), re.compile(r"^skipped [\w.]+: (.+)", re.M))


def is_skipped(case: xml.Element) -> bool:
    """Not so a test that could not be started, which is a failure."""
    told = case.find("skipped")
    return case.get("status") == "disabled" or (told is not None and told.get("message", "").startswith("SKIP_"))


def reason_of(output: str) -> str:
    for reason in REASONS:
        if found := reason.search(output):
            return found[1].strip()
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def main() -> int:
    cases = xml.parse(sys.argv[1]).getroot().findall("testcase")
    skipped = [case for case in cases if is_skipped(case)]
    failed = sum(case.get("status") != "run" for case in cases) - len(skipped)
    reasons = Counter(reason_of(case.findtext("system-out") or "") for case in skipped)
    if reasons:
        print("\nskipped  reason")
        for reason, count in sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0])):
            print(f"{count:7}  {reason}")
    print(f"\n{len(cases) - failed - len(skipped)} passed, {failed} failed, {len(skipped)} skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
