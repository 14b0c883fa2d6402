// Products of matrices in the registers of a whole warp.
#include "random_instructions.hpp"

namespace nvmlkit::test {

std::string RandomInstructions::of_matrices() {
  // As many registers, one behind the other.
  const auto list = [&](const char* kind, int count) {
    const int first = pick(kNumbers);
    std::string out = "{";
    for (int k = 0; k < count; ++k)
      out += (k ? ", %" : "%") + std::string(kind) + std::to_string((first + k) % kNumbers);
    return out + "}";
  };
  struct Kind {
    const char* name;
    const char* sums;
    int d, a, b;
    const char* numbers = "r";
  };
  static constexpr Kind kKinds[] = {
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "f", 4, 4, 2},
      {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "f", 4, 2, 1},
      {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "r", 2, 4, 2},
      {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "f", 4, 4, 2},
      {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "f", 4, 4, 2},
      {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "f", 4, 2, 1},
      {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "r", 4, 4, 2},
      {"mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32", "r", 2, 1, 1},
      {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", "r", 4, 4, 2},
      {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "d", 2, 1, 1, "d"},
      {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", "f", 8, 8, 8},
      {"wmma.mma.sync.aligned.col.row.m32n8k16.f16.f16", "r", 4, 8, 8},
  };
  const auto& kind = kKinds[pick(static_cast<int>(std::size(kKinds)))];
  return std::string(kind.name) + " " + list(kind.sums, kind.d) + ", " + list(kind.numbers, kind.a) + ", " +
         list(kind.numbers, kind.b) + ", " + list(kind.sums, kind.d);
}

}  // namespace nvmlkit::test
