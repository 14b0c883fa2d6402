"""Starts the exporter on a free port of the loopback, scrapes it, and compares with the machine file beside this test."""

import re
import signal
import subprocess
import sys
import urllib.request

BUSY = "GPU-11111111-2222-3333-4444-555555555555"


def parse(text: str) -> dict[str, dict[tuple, float]]:
    """name -> {sorted labels: value}; a series that appears twice is refused, as Prometheus would."""
    families: dict[str, dict[tuple, float]] = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, labels, value = re.fullmatch(r'([a-z_:]+)(?:\{(.*)\})? (\S+)', line).groups()
        key = tuple(sorted(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or "")))
        series = families.setdefault(name, {})
        assert key not in series, f"twice: {line}"
        series[key] = float(value)
    return families


def check(text: str) -> None:
    families = parse(text)

    def value(family: str, /, **labels: str) -> float:
        found = [v for key, v in families.get(family, {}).items() if labels.items() <= dict(key).items()]
        assert len(found) == 1, f"{family} {labels}: {found}"
        return found[0]

    assert abs(value("nvml_power_watts", uuid=BUSY) - 512.34) < 1e-6
    assert value("nvml_power_limit_watts", uuid=BUSY) == 700
    assert value("nvml_temperature_celsius", uuid=BUSY, sensor="gpu") == 71
    assert abs(value("nvml_utilization_ratio", uuid=BUSY, engine="gpu") - 0.93) < 1e-9
    assert abs(value("nvml_utilization_ratio", uuid=BUSY, engine="memory") - 0.41) < 1e-9
    assert value("nvml_memory_total_bytes", gpu="0") == 85520809984
    assert value("nvml_clock_hertz", gpu="1", clock="sm") > 1e8
    assert value("nvml_ecc_errors", gpu="1", error="uncorrected", counter="aggregate") == 0
    assert value("nvml_gpu_info", gpu="0", name="NVIDIA H100 80GB HBM3") == 1
    assert value("nvml_clock_event_reason_active", gpu="1", reason="hw_slowdown") in (0, 1)
    assert value("nvml_process_memory_bytes", pid="4711", process="/usr/bin/train") == 2048 << 20
    # Its memory is unknown: no sample, and above all no zero.
    assert not [k for k in families["nvml_process_memory_bytes"] if ("pid", "4712") in k]
    assert len(families["nvml_power_watts"]) == 2
    # What the GPU cannot tell is not exported: an H100 has no fan of its own.
    assert "nvml_fan_speed_ratio" not in families
    for help_text in re.findall(r"^# HELP nvml_\S+(.*)$", text, re.M):
        assert help_text.strip(), "a family without help"


def main() -> int:
    exporter = subprocess.Popen([sys.argv[1], "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        line = exporter.stdout.readline()
        port = int(re.fullmatch(r"listening on port (\d+)\n", line).group(1))
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        for _ in range(2):  # the second scrape is the first that finds state of the one before
            with opener.open(f"http://127.0.0.1:{port}/metrics", timeout=120) as answer:
                text = answer.read().decode()
            try:
                check(text)
            except AssertionError:
                print(text)
                raise
        exporter.send_signal(signal.SIGTERM)
        assert exporter.wait(timeout=120) == 0
    finally:
        if exporter.poll() is None:
            exporter.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
