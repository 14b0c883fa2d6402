#include "driver/cuda/code/links.hpp"

#include "base/never_destroyed.hpp"
#include "driver/cuda/fatbin/elf.hpp"
#include "driver/cuda/handles.hpp"

namespace nvmlkit::cuda::links {
namespace {

using modules::Refusal;

auto& all_links() {
  static NeverDestroyed<Handles<CUlinkState, Link, HandleKind::link>> the;
  return *the;
}

// A piece of code as the module loader takes it. The log has the words of NVIDIA's linker.
Refusal take_image(Link& link, std::span<const std::byte> bytes, std::string_view name) {
  if (auto image = fatbin::image_in(bytes)) {
    if (auto refusal = modules::check_architecture(*image, link.capability); refusal.result != CUDA_SUCCESS) {
      refusal.log = "fatal   : Input file '" + std::string(name) + "' arch does not match target 'sm_" +
                    std::to_string(link.capability) + "'";
      return refusal;
    }
    std::move(image->texts.begin(), image->texts.end(), std::back_inserter(link.texts));
    return {};
  }
  std::string text;
  auto refusal =
      modules::ptx_of_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, link.capability, text);
  if (refusal.result == CUDA_SUCCESS) link.texts.push_back(std::move(text));
  return refusal;
}

// What `nvcc -c` made: fat binaries in sections of their own.
Refusal take_object(Link& link, std::span<const std::byte> bytes, std::string_view name) {
  const auto regions = fatbin::regions(bytes);
  if (!regions)
    return {CUDA_ERROR_UNKNOWN, std::string(name) + " is no object file",
            "fatal   : Could not find fatbin in '" + std::string(name) + "'"};
  Refusal refusal{CUDA_ERROR_NO_BINARY_FOR_GPU, std::string(name) + " has no code for a GPU"};
  for (const auto& region : *regions) {
    refusal = take_image(link, region, name);
    if (refusal.result != CUDA_SUCCESS) return refusal;
  }
  return refusal;
}

// The members of a library with PTX. A missing member is an error of the code that needs it.
Refusal take_library(Link& link, std::span<const std::byte> bytes, std::string_view name) {
  const auto files = fatbin::members(bytes);
  if (!files) return {CUDA_ERROR_INVALID_IMAGE, std::string(name) + " is no library"};
  for (const auto& file : *files) take_object(link, file, name);
  return {};
}

Refusal take_input(Link& link, CUjitInputType type, std::span<const std::byte> bytes, std::string_view name) {
  switch (type) {
    case CU_JIT_INPUT_CUBIN:
    case CU_JIT_INPUT_PTX:
    case CU_JIT_INPUT_FATBINARY:
      return take_image(link, bytes, name);
    case CU_JIT_INPUT_OBJECT:
      return take_object(link, bytes, name);
    case CU_JIT_INPUT_LIBRARY:
      return take_library(link, bytes, name);
    case CU_JIT_INPUT_NVVM:
      return {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, std::string(name) + ": NVVM code is not compiled here, hand over PTX"};
    default:
      return {CUDA_ERROR_INVALID_VALUE, ""};
  }
}

// The link keeps the buffers that it was given when it was made.
Refusal told(Link& link, Refusal refusal) {
  const auto& line = refusal.logged();
  if (!line.empty()) link.log += (link.log.empty() ? "" : "\n") + line;
  link.logs.write(link.log);
  if (refusal.result == CUDA_ERROR_INVALID_IMAGE || refusal.result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND)
    link.refusal = refusal.result;
  return refusal;
}

}  // namespace

CUlinkState add(std::shared_ptr<Link> link) { return all_links().add(std::move(link)); }
std::shared_ptr<Link> find(CUlinkState handle) { return all_links().find(handle); }
bool end(CUlinkState handle) { return all_links().remove(handle) != nullptr; }

Refusal take(Link& link, CUjitInputType type, std::span<const std::byte> bytes, std::string_view name) {
  const std::lock_guard lock(link.mutex);
  if (!link.image.empty()) return {CUDA_ERROR_INVALID_VALUE, ""};
  if (type >= CU_JIT_NUM_INPUT_TYPES) return {CUDA_ERROR_INVALID_VALUE, ""};
  if (link.refusal != CUDA_SUCCESS) return {link.refusal, ""};
  return told(link, take_input(link, type, bytes, name));
}

Refusal complete(Link& link) {
  const std::lock_guard lock(link.mutex);
  if (!link.image.empty()) return {CUDA_ERROR_INVALID_HANDLE, ""};
  if (link.refusal != CUDA_SUCCESS) return {link.refusal, ""};
  auto refusal = modules::check(link.texts);
  if (refusal.result == CUDA_SUCCESS) link.image = fatbin::image_of({link.texts, link.capability});
  return told(link, std::move(refusal));
}

}  // namespace nvmlkit::cuda::links
