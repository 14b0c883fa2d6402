"""A small language model with random weights, as a GGUF file: metadata, names of tensors, tensors. Matrices are half."""

import random
import struct
from pathlib import Path

UINT32, FLOAT32, STRING, ARRAY, INT32 = 4, 6, 8, 9, 5
ALIGNMENT = 32
F32, F16 = 0, 1  # types of tensors


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key: str, kind: int, value) -> bytes:
    formats = {UINT32: "<I", FLOAT32: "<f", INT32: "<i"}
    one = lambda kind, value: text(value) if kind == STRING else struct.pack(formats[kind], value)
    if isinstance(value, list):
        return text(key) + struct.pack("<IIQ", ARRAY, kind, len(value)) + b"".join(one(kind, each) for each in value)
    return text(key) + struct.pack("<I", kind) + one(kind, value)


def vocabulary() -> list:
    """Tokens with their scores and kinds: three special ones, each byte, and the letters."""
    special = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)]
    return special + [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)] + [(chr(97 + i), -float(i), 1) for i in range(26)]


def metadata(width: int, layers: int, heads: int, groups: int, inner: int) -> list:
    tokens = vocabulary()
    return [entry("general.architecture", STRING, "llama"), entry("general.name", STRING, "random"),
            entry("llama.context_length", UINT32, 256), entry("llama.embedding_length", UINT32, width),
            entry("llama.block_count", UINT32, layers), entry("llama.feed_forward_length", UINT32, inner),
            entry("llama.attention.head_count", UINT32, heads), entry("llama.attention.head_count_kv", UINT32, groups),
            entry("llama.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5), entry("llama.vocab_size", UINT32, len(tokens)),
            entry("llama.rope.dimension_count", UINT32, width // heads), entry("tokenizer.ggml.model", STRING, "llama"),
            entry("tokenizer.ggml.tokens", STRING, [token for token, _, _ in tokens]),
            entry("tokenizer.ggml.scores", FLOAT32, [score for _, score, _ in tokens]),
            entry("tokenizer.ggml.token_type", INT32, [kind for _, _, kind in tokens]),
            entry("tokenizer.ggml.bos_token_id", UINT32, 1), entry("tokenizer.ggml.eos_token_id", UINT32, 2)]


def shapes(width: int, layers: int, heads: int, groups: int, inner: int) -> dict:
    """Names of tensors with their lengths, that of a row first."""
    kept, count = width // heads * groups, len(vocabulary())
    out = {"token_embd.weight": (width, count), "output_norm.weight": (width,), "output.weight": (width, count)}
    for layer in range(layers):
        for name, shape in {"attn_norm": (width,), "attn_q": (width, width), "attn_k": (width, kept), "attn_v": (width, kept),
                            "attn_output": (width, width), "ffn_norm": (width,), "ffn_gate": (width, inner),
                            "ffn_up": (width, inner), "ffn_down": (inner, width)}.items():
            out[f"blk.{layer}.{name}.weight"] = shape
    return out


def write_model(path: Path, width=256, layers=2, heads=4, groups=2, inner=512, seed=1) -> None:
    numbers = random.Random(seed)
    size = (width, layers, heads, groups, inner)
    infos, data, offset = b"", [], 0
    for name, shape in shapes(*size).items():
        count = shape[0] * (shape[1] if len(shape) == 2 else 1)
        if len(shape) == 1:  # norms
            kind, values = F32, struct.pack(f"<{count}f", *[1.0] * count)
        else:
            kind, values = F16, struct.pack(f"<{count}e", *(numbers.gauss(0, 2 / shape[0] ** 0.5) for _ in range(count)))
        infos += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)
        data.append(values + bytes(-len(values) % ALIGNMENT))
        offset += len(data[-1])
    about = metadata(*size)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(data), len(about)) + b"".join(about) + infos
    path.write_bytes(head + bytes(-len(head) % ALIGNMENT) + b"".join(data))
