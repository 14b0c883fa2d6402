// The readers of CUDA code, with whatever is handed to them: PTX text, fat binaries, LZ4, Zstandard. The first byte
// chooses.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "driver/cuda/fatbin/container.hpp"
#include "driver/cuda/fatbin/lz4.hpp"
#include "driver/cuda/fatbin/zstd.hpp"
#include "ptx/module.hpp"

namespace {

void read_ptx(std::string_view text) {
  try {
    const auto module = nvmlkit::ptx::load(text);
    if (module->image_bytes < 1 << 20) nvmlkit::ptx::place(*module, 1 << 20);
  } catch (const nvmlkit::ptx::Error& e) {
    if (e.line < 1 || e.text.empty()) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace fatbin = nvmlkit::cuda::fatbin;
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  switch (data[0] % 4) {
    case 0:
      read_ptx({reinterpret_cast<const char*>(data) + 1, size - 1});
      break;
    case 1:
      if (const auto all = fatbin::entries(bytes))
        for (const auto& entry : *all)
          if (entry.size < 1 << 20) fatbin::text_of(entry);
      break;
    case 2:
      fatbin::unpack_lz4(bytes, 4096);
      break;
    default:
      fatbin::unpack_zstd(bytes, 4096);
  }
  return 0;
}
