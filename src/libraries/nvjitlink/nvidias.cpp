#include "libraries/nvjitlink/nvidias.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "libraries/common/nvidias.hpp"

namespace nvmlkit::nvjitlink {
namespace {

using Handle = struct LinkOfNvidia*;  // NVIDIA's own

struct NvidiasFunctions {
  nvJitLinkResult (*create)(Handle*, std::uint32_t, const char**) = nullptr;
  nvJitLinkResult (*destroy)(Handle*) = nullptr;
  nvJitLinkResult (*add)(Handle, nvJitLinkInputType, const void*, std::size_t, const char*) = nullptr;
  nvJitLinkResult (*complete)(Handle) = nullptr;
  nvJitLinkResult (*ptx_size)(Handle, std::size_t*) = nullptr;
  nvJitLinkResult (*ptx)(Handle, char*) = nullptr;
  nvJitLinkResult (*log_size)(Handle, std::size_t*) = nullptr;
  nvJitLinkResult (*log)(Handle, char*) = nullptr;
};

bool open(const std::string& path, NvidiasFunctions& out) {
  void* const library = libraries::open_nvidias(path);
  if (!library) return false;
  bool is_whole = true;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    is_whole = is_whole && function;
  };
  find("nvJitLinkCreate", out.create);
  find("nvJitLinkDestroy", out.destroy);
  find("nvJitLinkAddData", out.add);
  find("nvJitLinkComplete", out.complete);
  find("nvJitLinkGetLinkedPtxSize", out.ptx_size);
  find("nvJitLinkGetLinkedPtx", out.ptx);
  find("nvJitLinkGetErrorLogSize", out.log_size);
  find("nvJitLinkGetErrorLog", out.log);
  return is_whole;
}

const NvidiasFunctions* find_nvidias() {
  static NvidiasFunctions found;
  if (const char* named = secure_getenv("NVMLKIT_NVJITLINK"); named && *named) {
    if (open(named, found)) return &found;
    std::fprintf(stderr, "nvmlkit: NVMLKIT_NVJITLINK=%s is no libnvJitLink of NVIDIA that can be loaded\n", named);
    return nullptr;
  }
  for (const std::string& path : libraries::places_of({{"libnvJitLink.so.13", "libnvJitLink.so.12"}, "nvjitlink"}))
    if (open(path, found)) return &found;
  std::fputs(
      "nvmlkit: libnvJitLink reads LTO-IR with NVIDIA's libnvJitLink, and there is none in LD_LIBRARY_PATH, beside the "
      "libraries of the program or in the system's folders; install it (libnvjitlink12, nvidia-nvjitlink), or name its "
      "file with NVMLKIT_NVJITLINK\n",
      stderr);
  return nullptr;
}

// A text that is asked for in two calls.
std::string text_of(Handle handle, nvJitLinkResult (*size_of)(Handle, std::size_t*),
                    nvJitLinkResult (*get)(Handle, char*)) {
  std::size_t size = 0;
  if (size_of(handle, &size) != NVJITLINK_SUCCESS || size == 0) return {};
  std::string out(size, '\0');
  if (get(handle, out.data()) != NVJITLINK_SUCCESS) return {};
  return out.c_str();
}

}  // namespace

nvJitLinkResult make_ptx(Link& link) {
  static const NvidiasFunctions* const nvidias = find_nvidias();
  if (!nvidias) return NVJITLINK_ERROR_NVVM_COMPILE;
  std::vector<const char*> options = {"-ptx"};
  for (const std::string& option : link.options)
    if (option != "-ptx") options.push_back(option.c_str());
  Handle handle = nullptr;
  auto result = nvidias->create(&handle, static_cast<std::uint32_t>(options.size()), options.data());
  if (result != NVJITLINK_SUCCESS) return result;
  for (const auto& input : link.intermediates)
    if (result == NVJITLINK_SUCCESS)
      result = nvidias->add(handle, input.type, input.bytes.data(), input.bytes.size(), input.name.c_str());
  if (result == NVJITLINK_SUCCESS) result = nvidias->complete(handle);
  link.errors = text_of(handle, nvidias->log_size, nvidias->log);
  if (result == NVJITLINK_SUCCESS) {
    link.ptx = text_of(handle, nvidias->ptx_size, nvidias->ptx);
    if (link.ptx.empty()) result = NVJITLINK_ERROR_INTERNAL;
  }
  nvidias->destroy(&handle);
  return result;
}

}  // namespace nvmlkit::nvjitlink
