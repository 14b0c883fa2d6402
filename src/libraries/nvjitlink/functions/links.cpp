#include "libraries/nvjitlink/functions/links.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "driver/cuda/fatbin/container.hpp"
#include "driver/cuda/fatbin/elf.hpp"
#include "libraries/nvjitlink/linker.hpp"
#include "libraries/nvjitlink/nvidias.hpp"

namespace nvmlkit::nvjitlink::functions {
namespace {

bool is_elf(std::string_view bytes) {
  return bytes.starts_with(
      "\x7f"
      "ELF");
}
bool is_fatbin(std::string_view bytes) { return bytes.starts_with("\x50\xed\x55\xba"); }

// What the linker of the driver calls it; null: it has no such type.
std::optional<cuda::CUjitInputType> type_for_driver(nvJitLinkInputType type, std::string_view bytes) {
  switch (type) {
    case NVJITLINK_INPUT_CUBIN:
      // What our libnvrtc and this library make is PTX or a container of it.
      return is_elf(bytes) || is_fatbin(bytes) ? cuda::CU_JIT_INPUT_CUBIN : cuda::CU_JIT_INPUT_PTX;
    case NVJITLINK_INPUT_PTX:
      return cuda::CU_JIT_INPUT_PTX;
    case NVJITLINK_INPUT_FATBIN:
      return cuda::CU_JIT_INPUT_FATBINARY;
    case NVJITLINK_INPUT_OBJECT:
      return cuda::CU_JIT_INPUT_OBJECT;
    case NVJITLINK_INPUT_LIBRARY:
      return cuda::CU_JIT_INPUT_LIBRARY;
    case NVJITLINK_INPUT_ANY:
      return is_elf(bytes)      ? cuda::CU_JIT_INPUT_CUBIN
             : is_fatbin(bytes) ? cuda::CU_JIT_INPUT_FATBINARY
                                : cuda::CU_JIT_INPUT_PTX;
    default:
      return std::nullopt;
  }
}

// Whether NVIDIA's library has to make PTX of an input first.
bool has_lto_ir(nvJitLinkInputType type, std::string_view text) {
  namespace fatbin = cuda::fatbin;
  const auto bytes = std::as_bytes(std::span(text));
  const auto in_object = [](std::span<const std::byte> object) {
    const auto regions = fatbin::regions(object);
    return regions && std::any_of(regions->begin(), regions->end(), fatbin::has_lto_ir);
  };
  switch (type) {
    case NVJITLINK_INPUT_LTOIR:
      return true;
    case NVJITLINK_INPUT_FATBIN:
    case NVJITLINK_INPUT_ANY:
      return fatbin::has_lto_ir(bytes);
    case NVJITLINK_INPUT_OBJECT:
      return in_object(bytes);
    case NVJITLINK_INPUT_LIBRARY: {
      const auto files = fatbin::members(bytes);
      return files && std::any_of(files->begin(), files->end(), in_object);
    }
    default:
      return false;
  }
}

nvJitLinkResult tell_size(Link* link, std::size_t* size, std::size_t value) {
  if (!is_object(link)) return NVJITLINK_ERROR_INVALID_INPUT;
  if (!size) return NVJITLINK_ERROR_NULL_INPUT;
  *size = value;
  return NVJITLINK_SUCCESS;
}
nvJitLinkResult tell_text(Link* link, char* out, const std::string& text) {
  if (!is_object(link)) return NVJITLINK_ERROR_INVALID_INPUT;
  if (!out) return NVJITLINK_ERROR_NULL_INPUT;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return NVJITLINK_SUCCESS;
}

bool is_architecture(std::string_view option) {
  for (const std::string_view name : {"-arch=sm_", "-arch=compute_"})
    if (option.starts_with(name) && option.size() > name.size() &&
        std::isdigit(static_cast<unsigned char>(option[name.size()])))
      return true;
  return false;
}
bool is_known(std::string_view option) {
  if (option == "-lto" || option == "-ptx" || option == "-g" || option == "-lineinfo" || option == "-time" ||
      option == "-verbose" || option == "-kernels-used" || option == "-ftz" || option == "-optimize-unused-variables")
    return true;
  for (const std::string_view name :
       {"-maxrregcount=", "-ftz=", "-prec-div=", "-prec-sqrt=", "-fma=", "-O",
        "-opt=", "-Xptxas=", "-Xnvvm=", "-kernels-used=", "-variables-used=", "-cache=", "-split-compile",
        "-jump-table-density=", "-no-cache", "-device-stack-protector=", "-w", "-r"})
    if (option.starts_with(name)) return true;
  return false;
}

}  // namespace

nvJitLinkResult create(Link** out, std::uint32_t count, const char* const* options) {
  if (!out || (count > 0 && !options)) return NVJITLINK_ERROR_NULL_INPUT;
  bool has_architecture = false;
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::string_view option = options[k] ? options[k] : "";
    if (is_architecture(option))
      has_architecture = true;
    else if (option.starts_with("-arch"))
      return NVJITLINK_ERROR_UNRECOGNIZED_ARCH;
    else if (!is_known(option))
      return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
  }
  if (!has_architecture) return NVJITLINK_ERROR_MISSING_ARCH;
  *out = libraries::Live<Link>::make();
  (*out)->options.assign(options, options + count);
  if ((*out)->has_option("-ptx") && !(*out)->has_option("-lto")) {
    libraries::Live<Link>::destroy(*out);
    return NVJITLINK_ERROR_LTO_NOT_ENABLED;
  }
  return NVJITLINK_SUCCESS;
}
nvJitLinkResult destroy(Link** link) {
  if (!link || !libraries::Live<Link>::destroy(*link)) return NVJITLINK_ERROR_INVALID_INPUT;
  *link = nullptr;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult add_data(Link* link, nvJitLinkInputType type, const void* data, std::size_t size, const char* name) {
  if (!is_object(link)) return NVJITLINK_ERROR_INVALID_INPUT;
  if (!data || size == 0) return NVJITLINK_ERROR_NULL_INPUT;
  std::string bytes(static_cast<const char*>(data), size);
  const bool is_optimized = link->has_option("-lto");
  if (type == NVJITLINK_INPUT_LTOIR && !is_optimized) return NVJITLINK_ERROR_LTO_NOT_ENABLED;
  if (is_optimized && has_lto_ir(type, bytes)) {
    link->intermediates.push_back({type, std::move(bytes), name ? name : "an input of a link"});
    return NVJITLINK_SUCCESS;
  }
  const auto known = type_for_driver(type, bytes);
  if (!known) {
    libraries::note_unsupported("nvJitLinkAddData", "of this type");
    return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
  }
  if (*known == cuda::CU_JIT_INPUT_PTX && bytes.back() != '\0') bytes += '\0';
  link->inputs.push_back({*known, std::move(bytes), name ? name : "an input of a link"});
  return NVJITLINK_SUCCESS;
}
nvJitLinkResult add_file(Link* link, nvJitLinkInputType type, const char* file) {
  if (!is_object(link)) return NVJITLINK_ERROR_INVALID_INPUT;
  if (!file) return NVJITLINK_ERROR_NULL_INPUT;
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  return in ? add_data(link, type, bytes.data(), bytes.size(), file) : NVJITLINK_ERROR_INVALID_INPUT;
}
// LTO-IR becomes PTX first, then one input of all.
nvJitLinkResult complete(Link* link) {
  if (!is_object(link)) return NVJITLINK_ERROR_INVALID_INPUT;
  if (!link->intermediates.empty() && link->ptx.empty()) {
    if (const auto result = make_ptx(*link); result != NVJITLINK_SUCCESS) return result;
    link->inputs.push_back({cuda::CU_JIT_INPUT_PTX, link->ptx + '\0', "LTO-IR"});
  }
  return link->has_option("-ptx") ? NVJITLINK_SUCCESS : link_now(*link);
}

nvJitLinkResult cubin_size(Link* link, std::size_t* size) {
  return tell_size(link, size, is_object(link) ? link->image.size() : 0);
}
nvJitLinkResult cubin(Link* link, void* out) {
  if (!is_object(link) || link->image.empty()) return NVJITLINK_ERROR_INVALID_INPUT;
  if (!out) return NVJITLINK_ERROR_NULL_INPUT;
  std::memcpy(out, link->image.data(), link->image.size());
  return NVJITLINK_SUCCESS;
}
nvJitLinkResult ptx_size(Link* link, std::size_t* size) {
  if (is_object(link) && link->ptx.empty()) return NVJITLINK_ERROR_LTO_NOT_ENABLED;
  return tell_size(link, size, is_object(link) ? link->ptx.size() + 1 : 0);
}
nvJitLinkResult ptx(Link* link, char* out) {
  if (is_object(link) && link->ptx.empty()) return NVJITLINK_ERROR_LTO_NOT_ENABLED;
  return tell_text(link, out, is_object(link) ? link->ptx : std::string());
}
// With the 0 behind the text.
nvJitLinkResult error_log_size(Link* link, std::size_t* size) {
  return tell_size(link, size, is_object(link) ? link->errors.size() + 1 : 0);
}
nvJitLinkResult error_log(Link* link, char* out) {
  return tell_text(link, out, is_object(link) ? link->errors : std::string());
}
nvJitLinkResult info_log_size(Link* link, std::size_t* size) { return tell_size(link, size, 1); }
nvJitLinkResult info_log(Link* link, char* out) { return tell_text(link, out, ""); }

// Of CUDA 13.0.
nvJitLinkResult version(unsigned int* major, unsigned int* minor) {
  if (!major || !minor) return NVJITLINK_ERROR_NULL_INPUT;
  *major = 13;
  *minor = 0;
  return NVJITLINK_SUCCESS;
}

}  // namespace nvmlkit::nvjitlink::functions
