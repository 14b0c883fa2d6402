// Finds the PTX for a GPU in the code that programs load.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "driver/cuda/code/head.hpp"
#include "driver/cuda/code/modules.hpp"
#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/fatbin/container.hpp"
#include "driver/cuda/fatbin/elf.hpp"
#include "ptx/builtins/grid_groups.hpp"

namespace nvmlkit::cuda::modules {
namespace {

struct Wrapper {
  std::uint32_t magic, version;
  const void* region;
  const void* const* linked;  // version 2: the regions that were linked, ended by null
};

bool suits(const fatbin::Entry& e, int capability) {
  const auto own = static_cast<int>(e.capability);
  return e.kind == fatbin::Kind::ptx && (e.exact ? own == capability : own <= capability);
}

std::string capability_text(unsigned capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

using Entries = std::vector<fatbin::Entry>;

const fatbin::Entry* best_ptx(const Entries& all, int capability) {
  const fatbin::Entry* best = nullptr;
  for (const auto& e : all)
    if (suits(e, capability) && (!best || e.capability >= best->capability)) best = &e;
  return best;
}

bool has_machine_code(const Entries& all, int capability) {
  return std::any_of(all.begin(), all.end(), [&](const auto& e) {
    const auto own = static_cast<int>(e.capability);
    return e.kind == fatbin::Kind::elf && own / 10 == capability / 10 &&
           (e.exact ? own == capability : own <= capability);
  });
}

void tell_of_stand_in(int capability, const fatbin::Entry& used) {
  static std::atomic<bool> is_told{false};
  if (is_told.exchange(true)) return;
  std::fprintf(stderr,
               "nvmlkit: a fat binary has machine code alone for compute capability %s; its PTX for %s runs in its "
               "place, here and in other fat binaries (NVMLKIT_CUDA_STAND_IN=0 refuses that)\n",
               capability_text(static_cast<unsigned>(capability)).c_str(), capability_text(used.capability).c_str());
}

// A GPU would run its machine code. The same program as PTX for a newer GPU does the same, where its source does not
// ask for which GPU it is compiled. Of several, the one for the oldest GPU.
const fatbin::Entry* stand_in(const Entries& all, int capability) {
  const char* const setting = secure_getenv("NVMLKIT_CUDA_STAND_IN");
  if ((setting && std::string_view(setting) == "0") || !has_machine_code(all, capability)) return nullptr;
  const fatbin::Entry* out = nullptr;
  for (const auto& e : all)
    if (e.kind == fatbin::Kind::ptx && !e.exact && (!out || e.capability < out->capability)) out = &e;
  if (out) tell_of_stand_in(capability, *out);
  return out;
}

std::string list_of(const Entries& all) {
  std::string out;
  for (const auto& e : all)
    out += (out.empty() ? "" : ", ") +
           std::string(e.kind == fatbin::Kind::ptx      ? "PTX"
                       : e.kind == fatbin::Kind::lto_ir ? "LTO-IR"
                                                        : "SASS") +
           " for " + capability_text(e.capability) + (e.exact ? "a" : "");
  return out.empty() ? "nothing" : out;
}

Refusal from_region(std::span<const std::byte> region, int capability, std::string& text) {
  const auto all = fatbin::entries(region);
  if (!all) return {CUDA_ERROR_INVALID_IMAGE, ""};
  const auto* best = best_ptx(*all, capability);
  if (!best) best = stand_in(*all, capability);
  if (!best)
    return {CUDA_ERROR_NO_BINARY_FOR_GPU,
            "a fat binary has no PTX that a GPU of compute capability " +
                capability_text(static_cast<unsigned>(capability)) + " can run (it has: " + list_of(*all) +
                "); kernels run from PTX: build with `nvcc -arch=sm_" + std::to_string(capability) +
                "`, or with code=compute_" + std::to_string(capability)};
  auto found = fatbin::text_of(*best);
  if (!found) return {CUDA_ERROR_INVALID_IMAGE, "a fat binary holds PTX that cannot be unpacked: it is damaged"};
  text = std::move(*found);
  return {};
}

Refusal from_address(const void* region, int capability, std::string& text) {
  std::uint32_t magic = 0;
  std::uint64_t size = 0;
  std::memcpy(&magic, region, sizeof magic);
  std::memcpy(&size, static_cast<const char*>(region) + 8, sizeof size);
  if (magic != fatbin::kRegionMagic || size > std::uint64_t{1} << 40) return {CUDA_ERROR_INVALID_IMAGE, ""};
  return from_region({static_cast<const std::byte*>(region), fatbin::kRegionHeader + size}, capability, text);
}

// The library that device code launches kernels with is linked into programs. The driver does its work itself
// (ptx/builtins/), so that its own code is not needed. nvcc writes '(' behind a name where its body follows alone.
bool is_device_runtime(std::string_view text) { return text.find("cudaGetParameterBuffer(") != text.npos; }

// A program of several objects (nvcc -rdc=true). The linked region itself holds code of the hardware alone, those of
// the objects hold their PTX.
Refusal from_linked(const void* const* regions, int capability, std::string& text) {
  std::vector<std::string> parts;
  Refusal first;
  for (; *regions; ++regions) {
    std::string part;
    auto refusal = from_address(*regions, capability, part);
    if (refusal.result != CUDA_SUCCESS && first.result == CUDA_SUCCESS) first = std::move(refusal);
    if (!part.empty()) parts.push_back(std::move(part));
  }
  auto refusal = joined(std::move(parts), text);
  return refusal.result != CUDA_SUCCESS && first.result != CUDA_SUCCESS ? first : refusal;
}

const Refusal kForHardware{
    CUDA_ERROR_NO_BINARY_FOR_GPU,
    "a cubin holds code for hardware alone: kernels run from PTX, so hand over PTX or a fat binary that has it"};

Refusal from_image(fatbin::Image image, int capability, std::string& text) {
  auto refusal = check_architecture(image, capability);
  return refusal.result == CUDA_SUCCESS ? joined(std::move(image.texts), text) : refusal;
}

}  // namespace

int capability_of(const Device& device) {
  return device.read([](const sim::model::Gpu& gpu) {
    return static_cast<int>(10 * number(gpu.compute_capability.major) + number(gpu.compute_capability.minor));
  });
}

Refusal check_architecture(const fatbin::Image& image, int capability) {
  if (image.architecture / 10 == capability / 10 && image.architecture <= capability) return {};
  return {CUDA_ERROR_NO_BINARY_FOR_GPU, "code that was assembled for a GPU of compute capability " +
                                            capability_text(static_cast<unsigned>(image.architecture)) +
                                            " does not run on one of " +
                                            capability_text(static_cast<unsigned>(capability))};
}

Refusal joined(std::vector<std::string> parts, std::string& text) {
  std::erase_if(parts, is_device_runtime);
  if (parts.empty()) return {CUDA_ERROR_INVALID_IMAGE, ""};
  text = ptx::joined_with_grid_groups(std::move(parts));
  return {};
}

Refusal ptx_of(const void* image, int capability, std::string& text) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, 1);
  if (magic == 0) return check_head("");
  const auto* const start = static_cast<const char*>(image);
  const std::size_t there = strnlen(start, sizeof magic);
  if (there == sizeof magic) std::memcpy(&magic, image, sizeof magic);
  if (magic == fatbin::kWrapperMagic) {
    Wrapper wrapper{};
    std::memcpy(&wrapper, image, sizeof wrapper);
    if (!wrapper.region) return {CUDA_ERROR_INVALID_IMAGE, ""};
    if (wrapper.version == 2 && wrapper.linked) return from_linked(wrapper.linked, capability, text);
    return ptx_of(wrapper.region, capability, text);
  }
  if (magic == fatbin::kRegionMagic) return from_address(image, capability, text);
  if (there == sizeof magic && std::memcmp(start,
                                           "\x7f"
                                           "ELF",
                                           sizeof magic) == 0) {
    auto own = fatbin::image_at(image);
    return own ? from_image(std::move(*own), capability, text) : kForHardware;
  }
  text.assign(start);
  return check_head(text);
}

Refusal bytes_of_file(const char* name, std::string& bytes) {
  std::FILE* const file = std::fopen(name, "rb");
  if (!file) return {CUDA_ERROR_FILE_NOT_FOUND, ""};
  char buffer[16384];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.append(buffer, n);
  std::fclose(file);
  return {};
}

Refusal ptx_of_file(const char* name, int capability, std::string& text) {
  std::string bytes;
  if (auto refusal = bytes_of_file(name, bytes); refusal.result != CUDA_SUCCESS) return refusal;
  return ptx_of_bytes(bytes, capability, text);
}

Refusal ptx_of_bytes(const std::string& bytes, int capability, std::string& text) {
  const auto span = std::as_bytes(std::span(bytes));
  std::uint32_t magic = 0;
  if (bytes.size() >= sizeof magic) std::memcpy(&magic, bytes.data(), sizeof magic);
  if (magic == fatbin::kRegionMagic) return from_region(span, capability, text);
  if (magic == fatbin::kWrapperMagic) return {CUDA_ERROR_INVALID_IMAGE, ""};
  if (auto own = fatbin::image_in(span)) return from_image(std::move(*own), capability, text);
  if (fatbin::sections(span)) return kForHardware;
  return ptx_of(bytes.c_str(), capability, text);
}

}  // namespace nvmlkit::cuda::modules
