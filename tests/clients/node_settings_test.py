#!/usr/bin/env python3
"""nvmlkit node: which machine a root has when the command is started again, with the same settings, with others, with none."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

from node_support import NodeTest, tree_of


class Settings(NodeTest):
    def restart(self, *arguments: str | Path, **more: str) -> list[str]:
        """A node after the last one was killed; the lines about its machine, which has Xid 79 on its first GPU from now on."""
        for node in self.nodes:
            if node.poll() is None:
                node.kill()
                node.wait()
        node = self.node(*arguments, **more)
        self.lost = "gpu=0" in self.good("fault", "--state", self.own_state)
        self.uuid = self.value("gpu=0", "uuid")
        if not self.lost:
            # The library is that of the driver which was asked for, and what is expected was made without this wish.
            if "--driver" not in arguments:
                now, expected = tree_of(self.root), self.expected()
                self.assertEqual([path for path in {*now, *expected} if now.get(path) != expected.get(path)], [])
            self.good("fault", "gpu=0", "xid", "79", "--state", self.own_state)
        node.terminate()
        return [line for line in node.communicate()[1].splitlines() if "nvidia-smi" not in line]

    def value(self, *words: str) -> object:
        return json.loads(self.good("get", *words, "--json", "--state", self.own_state))[0]["value"]

    def made_from(self, what: str) -> list[str]:
        return [f"nvmlkit: {self.root}: its machine was made from {what}; a new one takes its place"]

    def test_the_same_settings_keep_the_machine(self) -> None:
        self.assertEqual(self.restart("-m", "h100", "-n", "4"), [])
        self.assertFalse(self.lost)
        first = self.uuid
        self.assertEqual(self.restart("-m", "h100", "-n", "4"), [])
        self.assertTrue(self.lost)
        self.assertEqual(self.restart(NVMLKIT_MACHINE="h100", NVMLKIT_GPU_COUNT="4"), [])
        self.assertTrue(self.lost)
        self.assertEqual(self.restart(), [])
        self.assertEqual((self.lost, self.uuid), (True, first))

    def test_other_settings_make_another_machine(self) -> None:
        self.restart("-m", "h100", "-n", "4")
        unprintable = "'a b' [0-9a-f]{16}"
        steps = (
            (("-m", "t4", "-n", "4"), {}, "machine 'h100' (now 't4')"),
            (("-m", "t4"), {}, "gpus '4' (now none)"),
            (("-m", "t4", "--driver", "535"), {}, "driver none (now '535')"),
            (("-m", "t4"), {"NVMLKIT_SEED": "a\nb"}, f"driver '535' (now none), seed none (now {unprintable})"),
            (("-m", "t4"), {"NVMLKIT_SEED": "a\tb"}, f"seed {unprintable} (now {unprintable})"),
            (("-m", "t4"), {"NVMLKIT_TIME": "virtual"}, f"seed {unprintable} (now none), time none (now 'virtual')"),
            (("-n", "2"), {}, "gpus none (now '2'), machine 't4' (now 'a100'), time 'virtual' (now none)"),
        )
        for arguments, variables, difference in steps:
            with self.subTest(difference):
                lines = self.restart(*arguments, **variables)
                expected = self.made_from(difference)[0].replace("(", r"\(").replace(")", r"\)")
                self.assertRegex(lines[0], rf"\A{expected}\Z")
                self.assertEqual((len(lines), self.lost), (1, False))
                self.assertEqual(self.restart(*arguments, **variables), [])
                self.assertTrue(self.lost)

    def test_a_machine_file_counts_by_its_content(self) -> None:
        file = self.folder / "mine.yaml"
        file.write_text("base: t4\nsystem: {num_devices: 2}\n")
        self.assertEqual(self.restart("-c", file), [])
        self.assertEqual(self.restart("-c", file), [])
        self.assertTrue(self.lost)
        file.write_text("base: t4\nsystem: {num_devices: 3}\n")
        lines = self.restart("-c", file)
        self.assertRegex(lines[0], r"^nvmlkit: \S+: its machine was made from content [0-9a-f]{16} \(now [0-9a-f]{16}\); a new one")
        self.assertEqual((len(lines), self.lost), (1, False))
        file.write_text("base: t5\n")
        before = self.own_state.stat().st_ino
        node = self.start("-c", file)
        self.assertEqual(node.wait(60), 2)
        self.assertRegex(node.communicate()[1], r"\Anvmlkit: \S+/mine.yaml:1:7: [^\n]*\n\Z")
        self.assertEqual(self.own_state.stat().st_ino, before)  # pods that run keep their machine

    def test_a_machine_that_was_put_there_stays(self) -> None:
        node = self.node("-m", "h100")
        self.good("down", "--state", self.own_state)
        self.good("up", "-m", "t4", "--state", self.own_state)
        self.wait_for_tree(self.expected(), "another machine")
        node.kill()
        node.communicate()
        self.assertEqual(self.restart("-m", "h100"), [])
        self.assertEqual(self.value("gpu=0", "name"), "Tesla T4")

    def test_a_machine_of_unknown_settings_or_of_another_build(self) -> None:
        settings = self.root / "run/nvmlkit/settings"
        self.restart("-m", "h100")
        settings.unlink()
        self.assertEqual(self.restart(), [])
        self.assertTrue(self.lost)
        self.assertEqual(self.restart("-m", "h100"), self.made_from("settings that it does not name"))
        self.assertFalse(self.lost)
        settings.write_text(settings.read_text().replace("nvmlkit: ", "nvmlkit: 9"))
        with open(self.own_state, "r+b") as state:
            state.seek(100)
            state.write(bytes(100))  # that no program of this build opens
        self.assertEqual(self.restart("-m", "h100"), self.made_from("another build of nvmlkit"))
        self.assertFalse(self.lost)

    def test_root_and_the_machine_that_is_up(self) -> None:
        self.good("root", self.root, "-m", "h100")
        self.assertEqual(self.restart("-m", "h100"), [])
        up = self.folder / "up"
        self.good("up", "-m", "t4", "--state", up)
        self.node("--state", up)
        self.assertEqual(self.value("gpu=0", "name"), "Tesla T4")
        self.assertEqual(self.restart("-m", "h100"), self.made_from("settings that it does not name"))
        self.assertNotEqual(self.value("gpu=0", "name"), "Tesla T4")
        self.good("status", "--state", up)


if __name__ == "__main__":
    unittest.main()
