#!/usr/bin/env python3
"""PyTorch for CUDA, as Debian packages it, on a simulated H100 against its own CPU.

NVMLKIT_TEST_TORCH is a folder with Debian 13's python3-torch-cuda and what it depends on, unpacked. Its Python is started
through its own C library. Without the folder, the test is skipped. NVMLKIT_TEST_TORCH_STEPS is the number of steps of the
training of ResNet-18 (4).
"""

import os
import subprocess
import sys
import unittest
from pathlib import Path

BUILD = Path(os.environ["NVMLKIT_BUILD_DIR"])
TORCH = Path(os.environ.get("NVMLKIT_TEST_TORCH") or "/nonexistent")

CHECK = """
import torch
torch.set_num_threads(1)  # see torch_operators.py
torch.manual_seed(0)

def close(name, function, *inputs, tolerance=1e-5):
    here = function(*inputs)
    there = function(*[t.cuda() for t in inputs]).cpu()
    error = (here - there).abs().max().item()
    assert error <= tolerance, f"{name}: {error}"

print("GPUs", torch.cuda.device_count())
for kind, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-12), (torch.half, 0.04), (torch.bfloat16, 0.3),
                        (torch.complex64, 1e-5)):
    close(f"matmul {kind}", torch.matmul, torch.randn(33, 20).to(kind), torch.randn(20, 17).to(kind), tolerance=tolerance)
close("bmm", torch.bmm, torch.randn(5, 9, 20), torch.randn(5, 20, 7))
close("int8", torch._int_mm, torch.randint(-128, 127, (32, 64), dtype=torch.int8),
      torch.randint(-128, 127, (64, 48), dtype=torch.int8), tolerance=0)
close("dot", torch.dot, torch.randn(999), torch.randn(999), tolerance=1e-4)
close("mv", torch.mv, torch.randn(30, 40), torch.randn(40))
a, b = torch.randn(6, 12, 12, dtype=torch.float64), torch.randn(6, 12, 3, dtype=torch.float64)
close("solve", torch.linalg.solve, a, b, tolerance=1e-9)
close("inv", torch.linalg.inv, a, tolerance=1e-9)
close("fft", torch.fft.fft, torch.randn(4, 30, dtype=torch.complex64))
close("rfftn", torch.fft.rfftn, torch.randn(4, 6, 10, dtype=torch.float64), tolerance=1e-11)
close("irfftn", lambda a: torch.fft.irfftn(torch.fft.rfftn(a), s=a.shape), torch.randn(4, 6, 9), tolerance=1e-5)
close("compiled when it is used", torch.special.bessel_y1, torch.rand(50) + 0.1)
for kind, tolerance in ((torch.float32, 1e-3), (torch.complex128, 1e-10)):
    for n, count in ((7, 1), (40, 1), (6, 3)):
        c = torch.randn(count, n, n, dtype=kind)
        positive = c @ c.mH + torch.eye(n, dtype=kind)
        close("cholesky", torch.linalg.cholesky, positive, tolerance=tolerance)
        close("qr", lambda t: torch.linalg.qr(t)[1].abs(), c, tolerance=tolerance)
        close("eigvalsh", torch.linalg.eigvalsh, positive, tolerance=tolerance * n)
        close("eigh", lambda t: (lambda w, v: v * w.unsqueeze(-2) @ v.mH)(*torch.linalg.eigh(t)), positive, tolerance=tolerance * n)
        for driver in ("gesvd", "gesvdj", "gesvda"):
            close(f"svd {driver}", lambda t: (lambda u, w, v: u * w.unsqueeze(-2) @ v)(
                *torch.linalg.svd(t, driver=driver if t.is_cuda else None)), c, tolerance=tolerance)
        close("ldl", lambda t: torch.linalg.ldl_solve(*torch.linalg.ldl_factor(t + t.mT), t[..., :2]), positive,
              tolerance=0.1 if kind == torch.float32 else tolerance)
close("attention", lambda q: torch.nn.functional.scaled_dot_product_attention(q, q, q), torch.randn(2, 4, 16, 8), tolerance=1e-4)

for kind, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-12), (torch.complex64, 1e-5), (torch.complex128, 1e-12)):
    a, b, c = torch.randn(20, 30).to(kind), torch.randn(30, 25).to(kind), torch.randn(20, 25).to(kind)
    a, b = (torch.where(torch.rand(t.shape) < 0.3, t, torch.zeros_like(t)) for t in (a, b))
    for turn in (torch.Tensor.to_sparse, torch.Tensor.to_sparse_csr, torch.Tensor.to_sparse_csc):
        close(f"sparse mm {kind}", lambda a, b: torch.mm(turn(a) if a.is_cuda else a, b), a, b, tolerance=2 * tolerance)
        close(f"sparse addmm {kind}", lambda c, a, b: torch.addmm(c, turn(a) if a.is_cuda else a, b, beta=0.5, alpha=2), c, a, b,
              tolerance=4 * tolerance)
    blocks = lambda t: t.to_sparse_bsr((5, 5)) if t.is_cuda else t
    rows = lambda t: t.to_sparse_csr() if t.is_cuda else t
    close(f"blocks mm {kind}", lambda a, b: torch.mm(blocks(a), b), a, b, tolerance=2 * tolerance)
    close(f"blocks mv {kind}", lambda a, b: torch.mv(blocks(a), b[:, 0]), a, b, tolerance=2 * tolerance)
    close(f"sparse times sparse {kind}", lambda a, b: (rows(a) @ rows(b)).to_dense(), a, b, tolerance=2 * tolerance)
    close(f"sparse sum {kind}", lambda a: torch.add(rows(a), rows(a.roll(1, 0)), alpha=3).to_dense(), a, tolerance=4 * tolerance)
    close(f"sampled {kind}", lambda a, b, c: torch.sparse.sampled_addmm(a.to_sparse_csr(), c, b.mT, beta=0.5, alpha=2).to_dense(), a, b, c,
          tolerance=8 * tolerance)
    triangle = torch.randn(20, 20).to(kind).tril() + 20 * torch.eye(20)
    for turn in (lambda t: t.to_sparse_csr(), lambda t: t.to_sparse_bsr((4, 4))):
        close(f"sparse triangle {kind}", lambda t, c: torch.triangular_solve(c, turn(t) if t.is_cuda else t, upper=False)[0],
              triangle.to(kind), c, tolerance=tolerance)

def losses(device):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.GELU(),
                                torch.nn.Linear(64, 5))
    x, y = torch.randn(128, 20).to(device), torch.randint(0, 5, (128,)).to(device)
    model.to(device)
    step = torch.optim.AdamW(model.parameters(), 1e-2)
    out = []
    for _ in range(50):
        step.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        step.step()
        out.append(loss.item())
    return out

here, there = losses("cpu"), losses("cuda")
assert there[-1] < there[0] / 2, there
worst = max(abs(p - q) for p, q in zip(here, there))
assert worst < 1e-3, worst

graph, x, w = torch.cuda.CUDAGraph(), torch.randn(16, 16, device="cuda"), torch.randn(16, 16, device="cuda")
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    x @ w
torch.cuda.synchronize()
with torch.cuda.graph(graph):
    y = x @ w
x.copy_(torch.randn(16, 16))
graph.replay()
torch.cuda.synchronize()
assert torch.allclose(y.cpu(), x.cpu() @ w.cpu(), atol=1e-5)
print("all is well", worst)
"""


MODELS = """
import os
import torch
torch.set_num_threads(1)  # see torch_operators.py
torch.backends.cudnn.allow_tf32 = False  # the CPU rounds nothing
assert torch.backends.cudnn.is_available()
nn = torch.nn
WORDS, WIDTH, LENGTH = 50, 32, 16

class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.TransformerEncoder(nn.TransformerEncoderLayer(WIDTH, 4, 64, 0.0, batch_first=True), 2)
        self.out = nn.Linear(WIDTH, WORDS)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(LENGTH, device=x.device)
        return self.out(self.blocks(self.words(x) + self.places(torch.arange(LENGTH, device=x.device)), mask=mask, is_causal=True))

class Block(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.main = nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU(),
                                  nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after))
        self.side = nn.Identity() if stride == 1 and before == after else nn.Sequential(
            nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        return torch.relu(self.main(x) + self.side(x))

def resnet18():
    layers, before = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(before, width, stride), Block(width, width, 1)]
        before = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))
"""

TRAIN = MODELS + """
def images():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1),
                         nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))

def train(make, batch, device):
    torch.manual_seed(0)
    model, (x, y) = make(), batch()
    model, x, y = model.to(device), x.to(device), y.to(device)
    step = torch.optim.AdamW(model.parameters(), 3e-3)
    losses = []
    for _ in range(50):
        step.zero_grad()
        loss = nn.functional.cross_entropy(model(x).flatten(0, -2), y.flatten())
        loss.backward()
        step.step()
        losses.append(loss.item())
    return losses

for name, make, batch in (
        ("gpt", Gpt, lambda: (torch.randint(0, WORDS, (8, LENGTH)), torch.randint(0, WORDS, (8, LENGTH)))),
        ("images", images, lambda: (torch.randn(16, 3, 16, 16), torch.randint(0, 10, (16,))))):
    here, there = train(make, batch, "cpu"), train(make, batch, "cuda")
    assert there[-1] < 0.7 * there[0], there
    worst = max(abs(p - q) for p, q in zip(here, there))
    assert worst < 1e-4, (name, worst)
    print(name, "is trained", worst)
"""

LAYERS = """
import torch, torch.nn as nn, torch.nn.functional as F
torch.set_num_threads(1)  # see torch_operators.py
torch.manual_seed(0)
torch.backends.cudnn.allow_tf32 = False

def close(name, here, there, tolerance):
    here, there = here.detach().double(), there.detach().cpu().double()
    error = ((here - there).abs().max() / (1 + here.abs().max())).item()
    assert error <= tolerance, f"{name}: {error}"

def compare(name, make, x, kind, tolerance, pack=None):
    # In 16 bits the reference has the same numbers in float32.
    wide = kind if kind in (torch.float32, torch.float64) else torch.float32
    here = make().to(kind).to(wide)
    there = make().to(kind).cuda()
    there.load_state_dict(here.state_dict())
    a, b = (t.detach().clone().requires_grad_() for t in (x.to(kind).to(wide), x.to(kind).cuda()))
    results = []
    for model, t in ((here, a), (there, b)):
        out = model(pack(t) if pack else t)
        out = out[0] if isinstance(out, tuple) else out
        results.append(nn.utils.rnn.pad_packed_sequence(out)[0] if pack else out)
    weight = torch.randn_like(results[0])
    (results[0] * weight).sum().backward()
    (results[1] * weight.cuda().to(kind)).sum().backward()
    close(name, *results, tolerance)
    close(name + " input", a.grad, b.grad, tolerance)
    for (part, p), q in zip(here.named_parameters(), there.parameters()):
        close(name + " " + part, p.grad, q.grad, tolerance)
    for (part, p), q in zip(here.named_buffers(), there.buffers()):
        close(name + " " + part, p, q, tolerance)

KINDS = (torch.float32, 1e-4), (torch.float64, 1e-10), (torch.half, 2e-2), (torch.bfloat16, 0.15)
for kind, tolerance in KINDS:
    for n, conv, transposed in ((1, nn.Conv1d, nn.ConvTranspose1d), (2, nn.Conv2d, nn.ConvTranspose2d), (3, nn.Conv3d, nn.ConvTranspose3d)):
        x = torch.randn(2, 6, *[9] * n)
        for layout in (torch.contiguous_format, torch.channels_last, torch.channels_last_3d):
            if layout == torch.channels_last and n != 2 or layout == torch.channels_last_3d and n != 3:
                continue
            y = x.to(memory_format=layout)
            compare(f"conv {n} {kind}", lambda: conv(6, 8, 3, 2, 1, dilation=2, groups=2), y, kind, tolerance)
            compare(f"transposed {n} {kind}", lambda: transposed(6, 8, 3, 2, 1, groups=2), y, kind, tolerance)
    if kind != torch.bfloat16:
        for make in (lambda: nn.LSTM(5, 7, 2), lambda: nn.GRU(5, 7, 2, bidirectional=True), lambda: nn.RNN(5, 7),
                     lambda: nn.LSTM(5, 7, bidirectional=True, proj_size=3)):
            compare(f"recurrent {kind}", make, torch.randn(6, 4, 5), kind, tolerance)
            compare(f"packed {kind}", make, torch.randn(6, 4, 5), kind, tolerance,
                    lambda t: nn.utils.rnn.pack_padded_sequence(t, [6, 5, 3, 1]))
for kind, tolerance in KINDS[:2]:
    for shape, make in (((4, 6), nn.BatchNorm1d), ((4, 6, 5, 5), nn.BatchNorm2d), ((3, 6, 4, 4, 4), nn.BatchNorm3d)):
        compare(f"batch norm {kind} {shape}", lambda: make(6), torch.randn(shape), kind, tolerance)

assert F.relu(torch.cudnn_convolution(torch.randn(1, 2, 4, 4, device="cuda"), torch.randn(3, 2, 3, 3, device="cuda"),
                                      padding=(1, 1), stride=(1, 1), dilation=(1, 1), groups=1, benchmark=True,
                                      deterministic=False, allow_tf32=False)).shape == (1, 3, 4, 4)
image, theta = torch.randn(2, 3, 7, 8), torch.randn(2, 2, 3) * 0.5
grid = F.affine_grid(theta, (2, 3, 5, 6), align_corners=True)
ours = torch.cudnn_affine_grid_generator(theta.cuda(), 2, 3, 5, 6)
close("grid", grid, ours, 1e-5)
close("sampler", F.grid_sample(image, grid, align_corners=True), torch.cudnn_grid_sampler(image.cuda(), ours), 1e-5)
x, labels = torch.randn(12, 4, 7), torch.randint(1, 7, (10,), dtype=torch.int32)
a, b = x.clone().requires_grad_(), x.cuda().requires_grad_()
here = torch.ctc_loss(a.log_softmax(2), labels, [12] * 4, [3, 5, 2, 0], 0, 0, False)
there = torch.ctc_loss(b.log_softmax(2), labels, [12] * 4, [3, 5, 2, 0], 0, 0, False)
assert "Cudnn" in type(there.grad_fn).__name__, there.grad_fn
close("ctc", here, there, 1e-5)
here.sum().backward(), there.sum().backward()
close("ctc gradient", a.grad, b.grad, 1e-5)

from torch.nn.attention import SDPBackend, sdpa_kernel
for causal in (False, True):
    heads = [torch.randn(2, 4, 48, 64, dtype=torch.half) for _ in range(3)]
    here, there = [h.float().requires_grad_() for h in heads], [h.cuda().requires_grad_() for h in heads]
    a = F.scaled_dot_product_attention(*here, is_causal=causal)
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        b = F.scaled_dot_product_attention(*there, is_causal=causal)
    assert "Cudnn" in type(b.grad_fn).__name__, b.grad_fn
    weight = torch.randn_like(b.cpu())
    a.backward(weight.float()), b.backward(weight.cuda())
    close("attention", a, b, 3e-3)
    for p, q in zip(here, there):
        close("gradient of attention", p.grad, q.grad, 3e-3)

def tf32(t):
    bits = t.view(torch.int32)
    return ((bits + 0xFFF + (bits >> 13 & 1)) & ~0x1FFF).view(torch.float32)

x, w = torch.randn(2, 6, 9, 9), torch.randn(8, 6, 3, 3)
exact, rounded = F.conv2d(x, w), F.conv2d(tf32(x), tf32(w))
for allowed, wanted, other in ((False, exact, rounded), (True, rounded, exact)):
    torch.backends.cudnn.allow_tf32 = allowed
    got = F.conv2d(x.cuda(), w.cuda()).cpu()
    assert (got - wanted).abs().max() < 1e-5 < (got - other).abs().max(), allowed
torch.backends.cudnn.allow_tf32 = False

graph, layer = torch.cuda.CUDAGraph(), nn.Conv2d(3, 4, 3).cuda()
x, side = torch.randn(2, 3, 8, 8, device="cuda"), torch.cuda.Stream()
with torch.no_grad():
    with torch.cuda.stream(side):
        layer(x)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        y = layer(x)
    x.copy_(torch.randn(2, 3, 8, 8))
    graph.replay()
    close("graph", layer.cpu()(x.cpu()), y, 1e-5)
print("layers are equal")
"""

RESNET = MODELS + """
def losses(device):
    torch.manual_seed(0)
    model, x, y = resnet18().to(device), torch.randn(4, 3, 64, 64).to(device), torch.randint(0, 10, (4,)).to(device)
    step, out = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9), []
    for _ in range(int(os.environ.get("NVMLKIT_TEST_TORCH_STEPS", 4))):
        step.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        step.step()
        out.append(loss.item())
    return out

here, there = losses("cpu"), losses("cuda")
assert there[-1] < there[0] / 4, there
worst = max(abs(p - q) for p, q in zip(here, there))
assert worst < 1e-4, (here, there)
print("resnet18 is trained", len(there), there[0], there[-1], worst)
"""


def command(code: str) -> list[str]:
    lib = TORCH / "usr/lib/x86_64-linux-gnu"
    folders = [lib, lib / "openblas-serial", TORCH / "usr/lib", TORCH / "usr/lib/python3/dist-packages/torch/lib"]
    path = "$LD_LIBRARY_PATH:" + ":".join(map(str, folders))
    start = f'exec "$0" --library-path "{path}" "$@"'
    return [str(BUILD / "bin/nvmlkit"), "run", "-m", "h100", "--", "sh", "-c", start,
            str(TORCH / "usr/lib64/ld-linux-x86-64.so.2"), str(TORCH / "usr/bin/python3.13"), "-c", code]


class Torch(unittest.TestCase):
    def run_torch(self, code: str) -> subprocess.CompletedProcess:
        env = dict(os.environ, PYTHONHOME=str(TORCH / "usr"))
        return subprocess.run(command(code), env=env, capture_output=True, text=True)

    def test_equals_its_cpu(self):
        done = self.run_torch(CHECK)
        self.assertIn("all is well", done.stdout, done.stderr[-2000:])
        self.assertIn("GPUs 8", done.stdout)

    def test_models_are_trained(self):
        done = self.run_torch(TRAIN)
        self.assertIn("gpt is trained", done.stdout, done.stderr[-2000:])
        self.assertIn("images is trained", done.stdout, done.stderr[-2000:])

    def test_layers_by_cudnn(self):
        done = self.run_torch(LAYERS)
        self.assertIn("layers are equal", done.stdout, done.stderr[-2000:])

    def test_resnet_is_trained(self):
        done = self.run_torch(RESNET)
        self.assertIn("resnet18 is trained", done.stdout, done.stderr[-2000:])
        print(done.stdout, end="")

    def test_an_xid_is_the_error_that_pytorch_shows(self):
        done = self.run_torch(
            "import torch, os, subprocess\n"
            "a = torch.randn(64, 64, device='cuda'); (a @ a).sum().item()\n"
            f"subprocess.run(['{BUILD}/bin/nvmlkit', 'fault', 'gpu=0', 'xid', '79'], check=True)\n"
            "try:\n    (a @ a).sum().item()\nexcept RuntimeError as e:\n    print('error:', e)\n")
        self.assertIn("error: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED", done.stdout, done.stderr[-2000:])


if __name__ == "__main__":
    if not (TORCH / "usr/bin/python3.13").exists():
        print("NVMLKIT_TEST_TORCH is not set, or no python3-torch-cuda is unpacked there")
        sys.exit(77)
    unittest.main()
