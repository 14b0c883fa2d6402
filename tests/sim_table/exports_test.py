#!/usr/bin/env python3
"""exports_test.py NM LIBRARY FACTS BRANCH: the library exports what the real one of the branch does."""

import json
import subprocess
import sys

KNOWN = {"535": 332, "550": 350, "555": 354, "580": 404}

nm, library, facts, branch = sys.argv[1:]
listing = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
found = {line.split()[-1].split("@")[0] for line in listing.splitlines()}
with open(facts, encoding="utf-8") as file:
    wanted = set(json.load(file)[branch]["symbols"])
for name in sorted(wanted - found):
    print(f"missing: {name}")
for name in sorted(found - wanted):
    print(f"too many: {name}")
print(f"{branch}: {len(found)} symbols")
sys.exit(found != wanted or len(found) != KNOWN[branch])
