"""The chart on a real node, with NVIDIA's programs where they are in PATH. The tests run in the order of their numbers, each on the
node that the one before left. tests/kubernetes/run starts this in namespaces of its own."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

from bad_input_tests import BadInputTests
from case import FEATURES, STATE, VALIDATIONS
from chart_tests import ChartTests
from compute_domain_tests import ComputeDomainTests
from dcgm_tests import DcgmTests
from feature_tests import FeatureTests
from machine_tests import MachineTests
from mig_tests import MigTests
from nvsentinel_tests import NvsentinelTests
from operator_tests import OperatorTests
from plugin_tests import PluginTests
from program_tests import ProgramTests
from recipe_tests import RecipeTests
from scenario_tests import ScenarioTests


class NodeTest(ChartTests, PluginTests, MigTests, ProgramTests, ComputeDomainTests, OperatorTests, DcgmTests, NvsentinelTests,
               FeatureTests, MachineTests, BadInputTests, ScenarioTests, RecipeTests):  # fmt: skip
    def test_90_uninstall_leaves_the_node_as_it_was(self) -> None:
        self.chart("upgrade", "kernelLog=/run/nvidia/kernel.log")
        self.assertTrue(STATE.exists())
        self.delete_plugin()
        self.cluster.helm("uninstall", "nvmlkit", "--namespace", "nvmlkit", "--wait")
        self.cluster.wait("the pods' end", lambda: "pod/" not in self.cluster.kubectl("-n", "nvmlkit", "get", "pods", "-o", "name"))
        left = self.entries_of_node() - self.before
        # The kubelet makes the folders of a volume, those of the operator's plugin among them; the log is the node's; NVIDIA's programs
        # leave their specifications.
        folders = {"/run/nvidia", "/run/nvidia/mps", "/run/nvidia/mps/shm", VALIDATIONS, "/run/cdi", "/var/run/cdi", *map(str, Path(FEATURES).parents)}
        left -= folders | {"/run/nvidia/kernel.log"}
        left = {path for path in left if not re.search(r"/k8s\.[a-z-]+\.nvidia\.com-", path)}
        self.assertEqual(left, set())


class SoonResult(unittest.TextTestResult):
    """Shows what is wrong at once: all tests together take long."""

    def addFailure(self, test, error):  # type: ignore[no-untyped-def]
        super().addFailure(test, error)
        self.stream.writeln(self.failures[-1][1])

    def addError(self, test, error):  # type: ignore[no-untyped-def]
        super().addError(test, error)
        self.stream.writeln(self.errors[-1][1])


class SoonRunner(unittest.TextTestRunner):
    resultclass = SoonResult


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None) -> unittest.TestSuite:
    """Only of the class with all of them."""
    return loader.loadTestsFromTestCase(NodeTest)


if __name__ == "__main__":
    unittest.main(testRunner=SoonRunner)
