#!/usr/bin/env python3
"""includes.py finds what it is there for."""

import tempfile
import unittest
from pathlib import Path

import includes

ROOMS = """
# a comment
base = include/kit src/base :
model = src/model : base
top = src/top : model base
"""


class Includes(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.write("include/kit/text.hpp", "")
        self.write("src/base/hash.hpp", '#include <string>\n#include "kit/text.hpp"\n')
        self.write("src/model/field.hpp", '#include "base/hash.hpp"\n')
        self.write("src/top/main.cpp", '#include "model/field.hpp"\n#  include "kit/text.hpp"  // why\n')

    def tearDown(self) -> None:
        self.folder.cleanup()

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def problems(self, rooms: str = ROOMS) -> list[str]:
        return includes.check(self.root, rooms, set())[2]

    def assert_one(self, problems: list[str], *words: str) -> None:
        self.assertEqual(len(problems), 1, problems)
        for word in words:
            self.assertIn(word, problems[0])

    def test_a_house_in_order(self) -> None:
        self.assertEqual(self.problems(), [])

    def test_an_arrow_up(self) -> None:
        self.write("src/base/bad.cpp", '\n#include "model/field.hpp"\n')
        self.assert_one(self.problems(), "src/base/bad.cpp:2", "model", "above it")

    def test_an_arrow_down_that_nobody_allowed(self) -> None:
        self.assert_one(self.problems(ROOMS.replace("model base", "model")), "src/top/main.cpp:2", "lacks")

    def test_an_arrow_that_is_not_used(self) -> None:
        self.write("src/top/main.cpp", '#include "model/field.hpp"\n')
        self.assert_one(self.problems(), "rooms.txt:5", "does not include base")

    def test_a_list_that_allows_an_arrow_up(self) -> None:
        problems = self.problems(ROOMS.replace("src/base :", "src/base : top"))
        self.assertTrue(any("no room below it" in problem for problem in problems), problems)

    def test_a_file_without_a_room(self) -> None:
        self.write("src/attic/old.hpp", "")
        self.assert_one(self.problems(), "src/attic/old.hpp", "no room")

    def test_a_file_that_is_not_there(self) -> None:
        self.write("src/top/more.cpp", '#include "model/gone.hpp"\n')
        self.assert_one(self.problems(), "src/top/more.cpp:1", "model/gone.hpp")

    def test_headers_that_include_each_other(self) -> None:
        self.write("src/model/a.hpp", '#include "model/b.hpp"\n')
        self.write("src/model/b.hpp", '#include "model/a.hpp"\n')
        self.assert_one(self.problems(), "circle: src/model/a.hpp -> src/model/b.hpp -> src/model/a.hpp")

    def test_a_room_inside_of_a_room(self) -> None:
        self.write("src/base/upper/sort.hpp", '#include "model/field.hpp"\n')
        rooms = ROOMS + "upper = src/base/upper : model\n"
        self.assertEqual(self.problems(rooms), [])

    def test_the_drawings(self) -> None:
        house, drawing, _ = includes.check(self.root, ROOMS, set())
        self.assertEqual(includes.as_text(house, drawing), "top    model base\nmodel  base\nbase")
        self.assertIn('"top" -> "model" [label=1];', includes.as_dot(house, drawing))


if __name__ == "__main__":
    unittest.main()
