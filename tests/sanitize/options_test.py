#!/usr/bin/env python3
"""The options of `nvmlkit sanitize` and of `compute-sanitizer`, and the files that they write."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import ENTRY, HEAD  # noqa: E402
from sanitized import BINARIES, COMMAND, RUN_KERNEL, TOOL, run  # noqa: E402

WRITES_BEHIND = HEAD + ENTRY + "st.global.u32 [%rd4+1000], %r1;\nst.global.u32 [%rd1+2048], %r1;\nret;\n}\n"

# Handles of libraries that outlive their stream.
OUTLIVES = """
import ctypes
driver = ctypes.CDLL("libcuda.so.1")
for library, create, set_stream, destroy in (
    ("libcublas.so.12", "cublasCreate_v2", "cublasSetStream_v2", "cublasDestroy_v2"),
    ("libcudnn.so.9", "cudnnCreate", "cudnnSetStream", "cudnnDestroy"),
):
    functions = ctypes.CDLL(library)
    handle, stream = ctypes.c_void_p(), ctypes.c_void_p()
    assert functions[create](ctypes.byref(handle)) == 0
    assert driver.cuStreamCreate(ctypes.byref(stream), 1) == 0
    assert functions[set_stream](handle, stream) == 0
    assert driver.cuStreamDestroy_v2(stream) == 0
    assert functions[destroy](handle) == 0
print("done")
"""


class Options(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        path = self.folder / "kernel.ptx"
        path.write_text(WRITES_BEHIND)
        self.program = [RUN_KERNEL, str(path), "kernel", "1", "32", "0", "zero:1024", "zero:1024"]

    def sanitized(self, *options: str, command: tuple[str, ...] = (TOOL,)) -> tuple[int, str]:
        return run([*command, *options, *self.program])

    def test_both_commands_print_the_same(self) -> None:
        status, text = self.sanitized("--show-backtrace", "no")
        other_status, other = self.sanitized("--show-backtrace", "no", "--", command=(COMMAND, "sanitize"))
        self.assertEqual((status, other_status), (0, 0))

        def shape(report: str) -> list[str]:
            return [line for line in report.splitlines() if "0x7" not in line]

        self.assertEqual(shape(text), shape(other))
        self.assertEqual(text.count("Invalid __global__ write of size 4 bytes"), 2)
        self.assertNotIn("Host Frame", text)

    def test_error_exit_code(self) -> None:
        self.assertEqual(self.sanitized("--error-exitcode", "42")[0], 42)
        self.program[-2:] = ["zero:4096", "zero:4"]
        self.assertEqual(self.sanitized("--error-exitcode", "42")[0], 0)

    def test_what_an_error_ends(self) -> None:
        self.assertIn("result 719", self.sanitized()[1])
        text = self.sanitized("--destroy-on-device-error=kernel")[1]
        self.assertIn("result 0", text)
        self.assertNotIn("CUDA_ERROR_LAUNCH_FAILED", text)

    def test_api_errors(self) -> None:
        self.assertIn("Program hit CUDA_ERROR_LAUNCH_FAILED (error 719)", self.sanitized()[1])
        self.program.insert(1, "refused")
        text = self.sanitized()[1]
        self.assertRegex(text, r"CUDA_ERROR_INVALID_VALUE \(error 1\).* on CUDA API call to cuDeviceGetCount\.")
        self.assertEqual(text.count("on CUDA API call to cuCtxSynchronize."), 3)  # the last one is at the end
        del self.program[1]
        self.assertNotIn("Program hit", self.sanitized("--report-api-errors", "no")[1])

    def test_a_handle_that_outlives_its_stream(self) -> None:
        if not {"libcublas.so.12", "libcudnn.so.9"} <= {file.name for file in (BINARIES.parent / "lib").glob("*.so.*")}:
            self.skipTest("no CUDA libraries in this build")
        status, text = run([COMMAND, "sanitize", "--", sys.executable, "-c", OUTLIVES])
        self.assertEqual(status, 0, text)
        self.assertIn("done", text)
        self.assertIn("ERROR SUMMARY: 0 errors", text)

    def test_print_limit(self) -> None:
        text = self.sanitized("--print-limit", "1", "--report-api-errors", "no")[1]
        self.assertEqual(text.count("Invalid __global__ write"), 1)
        # Of 32 threads, 26 end at the first write, and 6 at the second one.
        self.assertIn("ERROR SUMMARY: 32 errors\n", text)
        self.assertRegex(text, r"ERROR SUMMARY: 6 errors were not printed\. Use --print-limit option")

    def test_kernels(self) -> None:
        for chosen in (["--kernel-name", "kernel_name=kernel"], ["--kernel-name", "kns=ern"], ["--kernel-regex", "kns=^ker"]):
            self.assertIn("Invalid __global__ write", self.sanitized(*chosen)[1], chosen)
        for other in (["--kernel-name", "kne=ker"], ["--kernel-regex", "kns=^nel"], ["--launch-skip", "1"], ["-s", "1"]):
            self.assertNotIn("Invalid __global__ write", self.sanitized(*other)[1], other)
        self.assertIn("Invalid __global__ write", self.sanitized("--launch-count", "1")[1])
        status, text = self.sanitized("--kernel-name", "colour=red")
        self.assertEqual(status, 2)
        self.assertIn("--kernel-name", text)

    def test_kernels_left_out(self) -> None:
        found = "Invalid __global__ write"
        for chosen in (["--kernel-name-exclude", "kne=kernel"], ["--kernel-name-exclude", "kns=other,kernel_substring=ern"],
                       ["--kernel-regex-exclude", "kns=^ker"], ["--kernel-name-exclude", "regex=^k.{3,5}l$"],
                       ["--kernel-name", "kns=ker", "--kernel-name-exclude", "kns=nel"]):
            self.assertNotIn(found, self.sanitized(*chosen)[1], chosen)
        for other in (["--kernel-name-exclude", "kne=ker"], ["--kernel-regex-exclude", "kns=^nel"], ["--kernel-name", "kns=other,kns=ker"]):
            self.assertIn(found, self.sanitized(*other)[1], other)
        status, text = self.sanitized("--kernel-name-exclude", "kns=")
        self.assertEqual((status, "--kernel-name-exclude" in text), (2, True))

    def test_saved_and_read(self) -> None:
        path = self.folder / "run %.saved"
        written = str(path).replace("%", "%%")
        for options in ([], ["--tool", "racecheck"], ["--leak-check", "full"], ["--schedules", "2"]):
            command = (TOOL,) if "--schedules" not in options else (COMMAND, "sanitize")
            text = self.sanitized(*options, "--save", written, command=command)[1]
            whole = "".join(line for line in text.splitlines(keepends=True) if line.startswith("========="))
            self.assertEqual(run([TOOL, "--read", str(path)]), (0, whole), options)
        self.assertEqual(run([TOOL, "--read", str(path), "--error-exitcode", "5"])[0], 5)
        text = run([TOOL, "--read", str(path), "--print-limit", "1", "--show-backtrace", "no"])[1]
        self.assertEqual((text.count("Invalid __global__ write"), "Host Frame" in text), (1, False))
        xml = self.folder / "findings.xml"
        run([TOOL, "--read", str(path), "--xml", "--save", str(xml)])
        self.assertTrue(ElementTree.parse(xml).getroot().findall("record"))
        self.assertNotIn("Invalid", run([TOOL, "--read", str(path), "--suppressions", str(xml)])[1])
        for bad in ("", "nvmlkit sanitize 1\n\nprogram=x\n", "<ComputeSanitizerOutput/>"):
            path.write_text(bad)
            status, text = run([TOOL, "--read", str(path)])
            self.assertEqual((status, "it is no file of --save without --xml" in text), (2, True), bad)
        self.assertEqual(self.sanitized("--read", str(path))[0], 2)

    def test_names_of_files(self) -> None:
        os.environ["NVMLKIT_TEST_NAME"] = "mine"
        self.sanitized("--log-file", str(self.folder / "%q{NVMLKIT_TEST_NAME}.%q{NVMLKIT_TEST_NONE}%p.%%.txt"))
        names = [path.name for path in self.folder.glob("mine*")]
        self.assertEqual(len(names), 1)
        self.assertRegex(names[0], r"^mine\.[0-9]+\.%\.txt$")
        for bad in ("log%d", "log%", "log%q{NAME"):
            for option in ("--log-file", "--save"):
                status, text = self.sanitized(option, bad)
                self.assertEqual((status, option in text), (2, True), bad)

    def test_quiet(self) -> None:
        for option in ("--quiet", "-q"):
            text = self.sanitized(option)[1]
            self.assertIn("Invalid __global__ write", text)
            self.assertNotRegex(text, "COMPUTE-SANITIZER|SUMMARY")
        self.program[-2:] = ["zero:4096", "zero:4"]
        self.assertNotIn("=========", self.sanitized("--quiet")[1])

    def test_how_names_are_shown(self) -> None:
        path = Path(self.program[1])
        path.write_text(path.read_text().replace("kernel(", "_ZN3fit5scaleIiEEvPT_S1_("))
        self.program[2] = "_ZN3fit5scaleIiEEvPT_S1_"
        for how, name in (("full", "void fit::scale<int>(int *, int)"), ("simple", "fit::scale"), ("no", self.program[2])):
            self.assertIn(f"    at {name}+0x", self.sanitized("--demangle", how)[1])

    def test_callers(self) -> None:
        text = self.sanitized("--backtrace-short", "no")[1]
        self.assertEqual(self.sanitized("--backtrace-short", "no", "--num-callers-host", "0")[1].count("Host Frame"), text.count("Host Frame"))
        one = self.sanitized("--backtrace-short", "no", "--num-callers-host", "1")[1]
        self.assertEqual(one.count("Host Frame"), one.count("Saved host backtrace"))
        self.assertGreater(text.count("Host Frame"), one.count("Host Frame"))
        function = ".func leaf(.param .b64 p)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nst.u32 [%rd1+4096], 1;\nret;\n}\n"
        middle = ".func middle(.param .b64 p)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n{ .param .b64 q; st.param.b64 [q], %rd1; call leaf, (q); }\nret;\n}\n"
        call = "{ .param .b64 q; st.param.b64 [q], %rd4; call middle, (q); }\nret;\n}\n"
        Path(self.program[1]).write_text(HEAD + function + middle + ENTRY + call)
        for options, count in (([], 2), (["--num-callers-device", "1"], 1), (["--num-callers-device=0"], 2), (["--show-backtrace", "host"], 0)):
            self.assertEqual(self.sanitized(*options)[1].count("Device Frame"), count, options)

    def test_language(self) -> None:
        self.assertIn("by thread (6,0,0) in block (0,0,0)", self.sanitized("--language", "c")[1])
        self.assertIn("by thread (7,1,1) in block (1,1,1)", self.sanitized("--language", "fortran")[1])

    def test_session_details(self) -> None:
        text = self.sanitized("--print-session-details", "--save-session-details")[1]
        self.assertRegex(text, r"========= Session details\n=========     Process ID: [0-9]+\n=========     Command line: \S+run_kernel ")
        self.assertNotIn("Session details", self.sanitized()[1])

    def test_programs_need_cuda(self) -> None:
        self.assertEqual(run([TOOL, "true"])[0], 255)
        self.assertEqual(run([TOOL, "--require-cuda-init", "no", "true"])[0], 0)
        self.assertEqual(self.sanitized("--require-cuda-init", "yes")[0], 0)

    def test_what_is_always_done(self) -> None:
        always = ["--check-device-heap=yes", "--check-bulk-copy", "yes", "--check-api-memory-access=yes", "--racecheck-memcpy-async=yes"]
        self.assertIn("Invalid __global__ write", self.sanitized(*always)[1])
        status, text = self.sanitized("--check-device-heap=no")
        self.assertEqual((status, text), (2, "compute-sanitizer: --check-device-heap takes only yes in nvmlkit\n"))

    def test_log_file(self) -> None:
        log = self.folder / "log.txt"
        text = self.sanitized("--log-file", str(log))[1]
        self.assertNotIn("=========", text)
        self.assertTrue(log.read_text().startswith("========= COMPUTE-SANITIZER\n"))

    def test_xml(self) -> None:
        path = self.folder / "findings.xml"
        self.sanitized("--save", str(path), "--xml", "yes", "--report-api-errors", "no")
        records = ElementTree.parse(path).getroot().findall("record")
        self.assertEqual(len(records), 2)
        first = records[0]
        self.assertEqual(first.findtext("what/text"), "Invalid __global__ write of size 4 bytes is out of bounds")
        self.assertEqual((first.findtext("what/direction"), first.findtext("what/error")), ("write", "out of bounds"))
        self.assertRegex(first.findtext("where/pc"), "^0x[0-9a-f]+$")
        self.assertEqual(first.findtext("who/threadIdx/x"), "6")
        self.assertEqual(first.findtext("where/func"), "kernel")
        self.assertTrue(first.findall("hostStack/frame"))

    def test_as_newer_versions_have_it(self) -> None:
        path = self.folder / "findings.xml"
        # Switches without a value, a pattern, and what is about NVIDIA's own tool only.
        text = self.sanitized("--save", str(path), "--xml", "--kernel-name", "regex=^ker", "--launch-timeout", "60", "--force-blocking-launches")[1]
        self.assertIn("Invalid __global__ write of size 4 bytes\n", text)
        calls = [r for r in ElementTree.parse(path).getroot() if r.findtext("kind") == "Api"]
        self.assertEqual((calls[0].findtext("what/error"), calls[0].findtext("what/result")), ("CUDA_ERROR_LAUNCH_FAILED", "719"))
        record = "<ComputeSanitizerOutput><record><kind>Api</kind><what><api>cuCtx.*</api></what></record></ComputeSanitizerOutput>"
        path.write_text(record)
        self.assertNotIn("on CUDA API call to cuCtxSynchronize", self.sanitized("--suppressions", str(path))[1])
        self.assertIn("## COMPUTE-SANITIZER\n", self.sanitized("--prefix", "##")[1])

    def test_status_of_the_program(self) -> None:
        says = "========= Target application returned an error\n"
        self.assertNotIn(says, self.sanitized()[1])
        self.assertIn(says, run([TOOL, "sh", "-c", "exit 7"])[1])
        self.assertNotIn(says, run([TOOL, "--check-exit-code", "no", "sh", "-c", "exit 7"])[1])
        text = run([TOOL, "sh", "-c", "kill -SEGV $$"])[1]
        self.assertIn("========= Error: process didn't terminate successfully\n", text)
        self.assertIn(says, text)

    def test_json(self) -> None:
        path = self.folder / "findings.json"
        self.sanitized("--json", str(path), "--report-api-errors", "no", "--", command=(COMMAND, "sanitize"))
        report = json.loads(path.read_text())
        self.assertEqual(report["errors"], 32)
        first = report["findings"][0]
        self.assertEqual((first["kind"], first["memory"], first["access"]), ("out_of_bounds", "global", "write"))
        self.assertEqual((first["count"], first["thread"]), (26, [6, 0, 0]))
        self.assertEqual((first["nearest"]["relation"], first["nearest"]["distance"]), ("after", 1))
        self.assertEqual(first["places"][0]["ptx"], "st.global.u32 [%rd4+1000], %r1;")

    def test_sarif(self) -> None:
        path = self.folder / "findings.sarif"
        self.sanitized("--sarif", str(path), "--report-api-errors", "no", "--", command=(COMMAND, "sanitize"))
        run_of_tool = json.loads(path.read_text())["runs"][0]
        self.assertEqual([rule["id"] for rule in run_of_tool["tool"]["driver"]["rules"]], ["out_of_bounds"])
        first = run_of_tool["results"][0]
        self.assertEqual((first["ruleId"], first["level"], first["occurrenceCount"]), ("out_of_bounds", "error", 26))
        self.assertEqual(first["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "kernel")
        self.assertIn("Invalid __global__ write of size 4 bytes\n", first["message"]["text"])

    def test_junit(self) -> None:
        path = self.folder / "findings.xml"
        self.sanitized("--junit", str(path), "--report-api-errors", "no", "--", command=(COMMAND, "sanitize"))
        suite = ElementTree.parse(path).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "2"))
        self.assertEqual(suite.find("testcase/failure").get("type"), "out_of_bounds")
        self.program[-2:] = ["zero:4096", "zero:4"]
        self.sanitized("--junit", str(path), "--", command=(COMMAND, "sanitize"))
        suite = ElementTree.parse(path).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.find("testcase/failure")), ("1", "0", None))

    def test_suppressions(self) -> None:
        path = self.folder / "known.xml"
        quiet = ["--report-api-errors", "no"]
        self.sanitized("--save", str(path), "--xml", "yes", *quiet)
        self.assertIn("ERROR SUMMARY: 0 errors", self.sanitized("--suppressions", str(path), *quiet)[1])
        whole = ElementTree.parse(path)
        root = whole.getroot()
        root.remove(root.findall("record")[1])
        whole.write(path)
        status, text = self.sanitized("--suppressions", str(path), "--error-exitcode", "3", *quiet)
        self.assertEqual((status, text.count("Invalid __global__ write")), (3, 1))
        record = "<ComputeSanitizerOutput><record>{}</record></ComputeSanitizerOutput>"
        for what, count in (("<where><func>ker.*</func></where>", 0), ("<where><func>ker</func></where>", 2),
                            ("<kind>Racecheck</kind>", 2), ("<what><text>Invalid __global__ write.*</text></what>", 0)):
            path.write_text(record.format(what))
            self.assertEqual(self.sanitized("--suppressions", str(path), *quiet)[1].count("Invalid __global__ write"), count, what)
        for bad in ("", "<other/>", record.format("<where><func>(</func></where>")):
            path.write_text(bad)
            self.assertEqual(self.sanitized("--suppressions", str(path))[0], 2, bad)

    def test_print_level(self) -> None:
        kernel = Path(self.program[1])
        kernel.write_text(HEAD + ".shared .align 4 .b8 tile[8];\n" + ENTRY + "mov.u32 %r2, tile; st.shared.u32 [%r2], 5;\nst.shared.u32 [%r2+4], %r1;\nret;\n}\n")
        counts = {level: self.sanitized("--tool", "racecheck", "--print-level", level)[1] for level in ("info", "auto", "warn", "error", "fatal")}
        self.assertEqual((counts["auto"].count("Race"), counts["fatal"].count("Race")), (counts["warn"].count("Race"), 0))
        self.assertNotIn("Race", self.sanitized("--tool", "racecheck", "--racecheck-detect-level=error")[1])
        self.assertIn("RACECHECK SUMMARY: 2 hazards displayed (0 errors, 1 warning)", counts["info"])
        self.assertIn("RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)", counts["warn"])
        self.assertIn("RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)", counts["error"])

    def test_hang(self) -> None:
        Path(self.program[1]).write_text(HEAD + ENTRY + "LOOP: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra LOOP;\nret;\n}\n")
        text = self.sanitized("--tool", "synccheck", "--hang-timeout", "1", "--", command=(COMMAND, "sanitize"))[1]
        self.assertIn("Deadlock detected", text)
        self.assertIn("32 threads, (0,0,0) to (31,0,0) in block (0,0,0), look at memory again and again", text)

    def test_names_of_host_functions(self) -> None:
        self.assertRegex(self.sanitized()[1], r"Host Frame: main (in \S+ )?\[0x[0-9a-f]+\] in ")

    def test_refusals(self) -> None:
        for options, answer in (
            (["--check-optix", "yes"], "--check-optix is not there in nvmlkit; see"),
            (["--kernel-nam", "kne=x"], "--kernel-nam is not there in nvmlkit, did you mean --kernel-name?"),
            (["--errorexitcode=1"], "did you mean --error-exitcode?"),
            (["--demangle", "some"], "--demangle"),
        ):
            status, text = self.sanitized(*options)
            self.assertEqual(status, 2, options)
            self.assertIn(answer, text)

    def test_a_program_without_cuda(self) -> None:
        status, text = run([TOOL, "true"])
        self.assertEqual(status, 255)
        self.assertIn("Error: Target application terminated before first instrumented API call", text)
        self.assertEqual(run([TOOL, "sh", "-c", "exit 7"])[0], 7)

    def test_children(self) -> None:
        self.program = ["sh", "-c", " ".join(self.program) + "; true"]
        self.assertIn("Invalid __global__ write", self.sanitized()[1])
        self.assertNotIn("Invalid __global__ write", self.sanitized("--target-processes", "application-only")[1])


if __name__ == "__main__":
    unittest.main()
