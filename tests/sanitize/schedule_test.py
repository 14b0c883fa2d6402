#!/usr/bin/env python3
"""Orders of warps and blocks by seed: what a race leads to, each seed always with the same end."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import CASES, choose, ENTRY, HEAD  # noqa: E402
from sanitized import run, RUN_KERNEL, sanitize, TOOL  # noqa: E402

# Thread 0 of the first warp puts a number into shared memory, the second warp copies it; a barrier between both, or none.
HANDED_ON = (HEAD + ".shared .align 4 .b8 box[4];\n" + ENTRY + """
setp.ne.u32 %p1, %r1, 0; @!%p1 st.shared.u32 [box], 7;
<<bar.sync 0;||>>
setp.ne.u32 %p1, %r1, 32; @%p1 bra END;
ld.shared.u32 %r2, [box]; st.global.u32 [%rd1], %r2;
END: ret;
}
""")
# Each block adds 1, by an atomic change, or by a load and a store.
COUNTED = HEAD + ENTRY + """
setp.ne.u32 %p1, %r1, 0; @%p1 bra END;
<<red.global.add.u32 [%rd1], 1;||ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; st.global.u32 [%rd1], %r2;>>
END: ret;
}
"""
# The lane that waits comes first in the program; lanes that have parted may go on in any order.
LANES = HEAD + ".shared .align 4 .b8 box[4];\n" + ENTRY + """
setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;
ld.shared.u32 %r2, [box]; setp.ne.u32 %p2, %r1, 16; @!%p2 st.global.u32 [%rd1], %r2; bra END;
LOW: <<mov.u32 %r3, 0||st.shared.u32 [box], 9>>;
END: ret;
}
"""
# A barrier in memory of the blocks of an ordinary launch: more of them than have their turns at once.
GRID_BARRIER = HEAD + ENTRY + """
setp.ne.u32 %p1, %r1, 0; @%p1 bra END;
red.global.add.u32 [%rd1], 1;
LOOP: ld.volatile.global.u32 %r2, [%rd1]; setp.ne.u32 %p2, %r2, 96; @%p2 bra LOOP;
END: ret;
}
"""


class Schedules(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.kernel = Path(self.folder.name) / "kernel.ptx"

    def tearDown(self) -> None:
        self.folder.cleanup()

    def program(self, text: str, shape: str) -> list[str]:
        self.kernel.write_text(text)
        return [RUN_KERNEL, "show", str(self.kernel), "kernel", *shape.split(), "zero:4", "zero:4"]

    def results(self, program: list[str], seeds: range) -> dict[int, str]:
        out = {}
        for seed in seeds:
            text = sanitize(["--schedule", str(seed)], program)[1]
            out[seed] = re.search(r"memory 0 begins with (\d+)", text)[1]
        return out

    def test_a_race_shows_its_consequence(self) -> None:
        for source, shape, usual in ((HANDED_ON, "1 64 0", "7"), (COUNTED, "16 32 0", "16"), (LANES, "1 32 0", "0")):
            with self.subTest(usual=usual):
                self.assertEqual(set(self.results(self.program(choose(source, wrong=False), shape), range(0, 12)).values()), {usual})
                wrong = self.program(choose(source, wrong=True), shape)
                first = self.results(wrong, range(0, 24))
                self.assertEqual(first[0], usual)
                self.assertGreater(len(set(first.values())), 1)
                self.assertEqual(first, self.results(wrong, range(0, 24)))

    def test_many(self) -> None:
        path = Path(self.folder.name) / "findings.json"
        program = self.program(choose(HANDED_ON, wrong=True), "1 64 0")
        status, text = sanitize(["--tool", "racecheck", "--schedules", "20", "--error-exitcode", "3", "--json", str(path)], program)
        self.assertEqual(status, 3)
        self.assertEqual(text.count("memory 0 begins with 7\n"), 1)
        summary = re.search(r"SCHEDULE SUMMARY: 20 schedules, (\d+) with another output, 0 with another end", text)
        self.assertTrue(summary, text)
        changed = [int(seed) for seed in re.findall(r"--schedule (\d+): line 2 of its output is \"memory 0 begins with 0\" and not", text)]
        self.assertEqual(len(changed), int(summary[1]))
        self.assertTrue(changed)
        self.assertEqual(set(self.results(program, range(changed[0], changed[0] + 1)).values()), {"0"})
        self.assertIn("RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)", text)
        self.assertEqual(text.count("Race reported between"), 1)
        seeds = json.loads(path.read_text())["findings"][0]["seeds"]
        self.assertEqual(seeds, list(range(0, 21)))  # a race is found in each order

    def test_many_of_a_right_program(self) -> None:
        program = self.program(choose(HANDED_ON, wrong=False), "1 64 0")
        status, text = run([TOOL, "--tool", "racecheck", "--schedules", "5", "--schedule", "40", "--error-exitcode", "3", *program])
        self.assertEqual(status, 0)
        self.assertIn("SCHEDULE SUMMARY: 5 schedules, 0 with another output, 0 with another end\n", text)

    def test_another_end(self) -> None:
        trap = choose(HANDED_ON, wrong=True).replace("st.global.u32 [%rd1], %r2;", "setp.eq.u32 %p2, %r2, 7; @!%p2 mov.u64 %rd1, 0; st.global.u32 [%rd1], %r2;")
        text = sanitize(["--schedules", "20"], self.program(trap, "1 64 0"))[1]
        self.assertRegex(text, r"SCHEDULE SUMMARY: 20 schedules, \d+ with another output, [1-9]\d* with another end")
        self.assertRegex(text, r"--schedule \d+: exit status \d+ and not exit status 0")
        self.assertIn("Invalid __global__ write", text)
        self.assertRegex(text, r"Found first with --schedule \d+\n")

    def test_output_that_differs_anyway(self) -> None:
        program = ["sh", "-c", "date +%N; " + " ".join(self.program(choose(HANDED_ON, wrong=False), "1 64 0"))]
        self.assertIn("The output was not compared", sanitize(["--schedules", "3"], program)[1])

    def test_blocks_that_wait_for_others(self) -> None:
        self.assertEqual(set(self.results(self.program(GRID_BARRIER, "96 32 0"), range(1, 9)).values()), {"96"})

    def test_right_kernels_stay_right(self) -> None:
        for case in CASES:
            if case.tool not in ("racecheck", "synccheck"):
                continue
            with self.subTest(case.name):
                self.kernel.write_text(case.text(wrong=False))
                words = [choose(case.word, wrong=False)] if choose(case.word, wrong=False) else []
                program = [RUN_KERNEL, *words, str(self.kernel), "kernel", *choose(case.shape, wrong=False).split(),
                           *choose(case.arguments, wrong=False).split()]
                text = sanitize(["--tool", "all", "--schedules", "2", "--hang-timeout", "5"], program)[1]
                self.assertIn("result 0\n", text)
                self.assertRegex(text, r"SCHEDULE SUMMARY: 2 schedules, .* 0 with another end")


if __name__ == "__main__":
    os.environ.setdefault("NVMLKIT_MACHINE", "h100")
    unittest.main()
