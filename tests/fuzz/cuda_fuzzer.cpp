// The readers of CUDA code, with whatever is handed to them: PTX text (several modules with form feeds between them),
// fat binaries, LZ4, Zstandard, object files and archives, images of linked programs. The first byte chooses.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "driver/cuda/fatbin/container.hpp"
#include "driver/cuda/fatbin/elf.hpp"
#include "driver/cuda/fatbin/unpack.hpp"
#include "ptx/module.hpp"
#include "ptx/parse/error_text.hpp"

namespace {

namespace ptx = nvmlkit::ptx;

bool read_at_once(std::string_view text) {
  try {
    const auto module = ptx::load(text);
    if (module->image_bytes < 1 << 20) ptx::place(*module, 1 << 20);
    return true;
  } catch (const ptx::Error& e) {
    if (e.line < 1 || ptx::text_of(e).empty()) __builtin_trap();
    return false;
  }
}

// The bodies one by one, the last one first.
bool read_one_by_one(std::string_view text) {
  try {
    const auto module = ptx::open(std::make_shared<const std::string>(text));
    if (module->image_bytes < 1 << 20) ptx::place(*module, 1 << 20);
    for (auto f = module->functions.rbegin(); f != module->functions.rend(); ++f)
      if (f->is_defined) ptx::decode(*module, *f);
    return true;
  } catch (const ptx::Error& e) {
    if (e.line < 1 || ptx::text_of(e).empty()) __builtin_trap();
    return false;
  }
}

void read_ptx(std::string_view text) {
  const bool is_right = read_at_once(text);
  if (!read_one_by_one(text) && is_right) __builtin_trap();
}

// What lies in a file lies in it whole.
void look_within(std::span<const std::byte> file, std::span<const std::byte> part) {
  if (!part.empty() && (part.data() < file.data() || part.data() + part.size() > file.data() + file.size()))
    __builtin_trap();
}

void read_object(std::span<const std::byte> file) {
  namespace fatbin = nvmlkit::cuda::fatbin;
  if (const auto all = fatbin::sections(file))
    for (const auto& section : *all) look_within(file, section.bytes);
  if (const auto all = fatbin::members(file))
    for (const auto& member : *all) look_within(file, member);
  if (const auto all = fatbin::regions(file))
    for (const auto& region : *all) {
      look_within(file, region);
      fatbin::has_lto_ir(region);
    }
  fatbin::image_in(file);
}

void link_and_read(std::string text) {
  namespace fatbin = nvmlkit::cuda::fatbin;
  const fatbin::Image image{{text, text + "2"}, 90};
  const auto file = fatbin::image_of(image);
  const auto read = fatbin::image_in(std::as_bytes(std::span(file)));
  if (!read || read->texts != image.texts || read->architecture != image.architecture) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace fatbin = nvmlkit::cuda::fatbin;
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  switch (data[0] % 6) {
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
    case 3:
      read_object(bytes);
      break;
    case 4:
      link_and_read({reinterpret_cast<const char*>(data) + 1, size - 1});
      break;
    default:
      fatbin::unpack_zstd(bytes, 4096);
  }
  return 0;
}
