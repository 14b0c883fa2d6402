#!/usr/bin/env python3
"""session.py NVMLKIT NVIDIA_SMI: runs the commands of the README's picture and prints the picture, an SVG.

    docs/images/session.py build/release/bin/nvmlkit /path/to/nvidia-smi > docs/images/session.svg

The picture is a terminal: the commands as a user types them, and what they print. The machine has virtual time, so that
only the date changes from run to run. Its background is its own, so that it is readable on a light and on a dark page.
"""

import html
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SESSION = [
    'eval "$(nvmlkit up -m h100 -n 3)"',
    "nvmlkit load gpu=0 80% --memory 40%",
    "nvmlkit fault gpu=1 ecc dram uncorrected",
    "nvmlkit run --uses gpu=0 --memory 20GiB -- python3 train.py &",
    "nvidia-smi",
]
TRAINING = "import signal; signal.pause()"
FONT, CHARACTER, LINE, MARGIN, BAR = 13, 7.8, 17, 16, 34
STYLE = f"""<style>
text {{ font: {FONT}px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre; fill: #d5dbe3 }}
.prompt {{ fill: #8bd17c }} .command {{ fill: #ffffff; font-weight: 600 }}
</style>"""


def run_session(nvmlkit: str, nvidia_smi: str) -> list[tuple[str, str]]:
    """The commands with their outputs, run on a machine in a folder of its own."""
    printed = []
    with tempfile.TemporaryDirectory() as folder:
        tools, state = Path(folder) / "bin", Path(folder) / "machine"
        tools.mkdir()
        (tools / "nvmlkit").symlink_to(Path(nvmlkit).resolve())
        (tools / "nvidia-smi").symlink_to(Path(nvidia_smi).resolve())
        (Path(folder) / "train.py").write_text(TRAINING, encoding="utf-8")
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "NVMLKIT_STATE": str(state), "NVMLKIT_TIME": "virtual"}
        shell = subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, cwd=folder, env=environment)
        assert shell.stdin and shell.stdout

        def output_of(command: str) -> str:
            shell.stdin.write(f"{command}\necho end of output\n")
            shell.stdin.flush()
            return "".join(iter(shell.stdout.readline, "end of output\n"))

        for command in SESSION:
            if command == "nvidia-smi":  # the program is attached, and the load has warmed the GPU up
                output_of("until nvmlkit status | grep -q python3; do sleep 0.1; done; nvmlkit time advance 60s")
            printed.append((command, output_of(command)))
        output_of("kill %1; wait; nvmlkit down")
        shell.stdin.close()
        shell.wait()
    return printed


def draw(session: list[tuple[str, str]]) -> str:
    rows = []
    for command, output in session:
        rows.append(f'<tspan class="prompt">$ </tspan><tspan class="command">{html.escape(command)}</tspan>')
        rows += [html.escape(line) for line in output.splitlines()]
    columns = max(len(line) for command, output in session for line in [f"$ {command}", *output.splitlines()])
    width, height = int(columns * CHARACTER) + 2 * MARGIN, BAR + len(rows) * LINE + MARGIN
    lines = [f'<text x="{MARGIN}" y="{BAR + (n + 1) * LINE - 4}" xml:space="preserve">{row}</text>' for n, row in enumerate(rows)]
    dots = [f'<circle cx="{MARGIN + 6 + 18 * n}" cy="18" r="5.5" fill="{color}"/>'
            for n, color in enumerate(("#e5645b", "#e8b64c", "#67b65f"))]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
        ' aria-label="A terminal: nvmlkit starts a machine, loads and breaks its GPUs, and nvidia-smi shows them">',
        STYLE, f'<rect width="{width}" height="{height}" rx="8" fill="#161b22" stroke="#57606a"/>', *dots, *lines, "</svg>"])


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    print(draw(run_session(sys.argv[1], sys.argv[2])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
