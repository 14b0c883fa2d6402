#include "libraries/nvrtc/next.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/never_destroyed.hpp"
#include "libraries/common/nvidias.hpp"

namespace nvmlkit::nvrtc {
namespace {

// The release that a program was linked with comes first; another one compiles its programs as well.
const libraries::NvidiasLibrary& nvidias() {
  static const libraries::NvidiasLibrary the{{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}, "cuda_nvrtc"};
  return the;
}

template <class Function>
void find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
}

// NVIDIA's library opens a second file by its name alone when it compiles. The dynamic linker may not search the folder
// of the two: a program that finds NVIDIA's library itself loads the second file first, and now finds ours.
void open_builtins(const std::string& path, const Next& of) {
  int major = 0, minor = 0;
  const auto slash = path.rfind('/');
  if (slash == std::string::npos || !of.Version || of.Version(&major, &minor) != NVRTC_SUCCESS) return;
  const std::string release = std::to_string(major) + '.' + std::to_string(minor);
  dlopen((path.substr(0, slash) + "/libnvrtc-builtins.so." + release).c_str(), RTLD_NOW | RTLD_LOCAL);
}

bool open(const std::string& path, Next& out) {
  void* const library = libraries::open_nvidias(path);
  if (!library) return false;
#define NVMLKIT_FIND(name) find(library, "nvrtc" #name, out.name)
  NVMLKIT_FIND(AddNameExpression);
  NVMLKIT_FIND(CompileProgram);
  NVMLKIT_FIND(CreateProgram);
  NVMLKIT_FIND(DestroyProgram);
  NVMLKIT_FIND(GetErrorString);
  NVMLKIT_FIND(GetLTOIR);
  NVMLKIT_FIND(GetLTOIRSize);
  NVMLKIT_FIND(GetLoweredName);
  NVMLKIT_FIND(GetNumSupportedArchs);
  NVMLKIT_FIND(GetOptiXIR);
  NVMLKIT_FIND(GetOptiXIRSize);
  NVMLKIT_FIND(GetPCHCreateStatus);
  NVMLKIT_FIND(GetPCHHeapSize);
  NVMLKIT_FIND(GetPCHHeapSizeRequired);
  NVMLKIT_FIND(GetPTX);
  NVMLKIT_FIND(GetPTXSize);
  NVMLKIT_FIND(GetProgramLog);
  NVMLKIT_FIND(GetProgramLogSize);
  NVMLKIT_FIND(GetSupportedArchs);
  NVMLKIT_FIND(SetFlowCallback);
  NVMLKIT_FIND(SetPCHHeapSize);
  NVMLKIT_FIND(Version);
#undef NVMLKIT_FIND
  open_builtins(path, out);
  return out.CreateProgram && out.CompileProgram && out.GetPTX && out.GetPTXSize;
}

const Next* find_next() {
  static Next found;
  if (const char* named = secure_getenv("NVMLKIT_NVRTC"); named && *named) {
    if (open(named, found)) return &found;
    std::fprintf(stderr, "nvmlkit: NVMLKIT_NVRTC=%s is no libnvrtc of NVIDIA that can be loaded\n", named);
    return nullptr;
  }
  for (const std::string& path : libraries::places_of(nvidias()))
    if (open(path, found)) return &found;
  std::fputs(
      "nvmlkit: libnvrtc compiles with NVIDIA's libnvrtc, and there is none in LD_LIBRARY_PATH, beside the libraries "
      "of the "
      "program or in the system's folders; install it (libnvrtc12, nvidia-cuda-nvrtc), or name its file with "
      "NVMLKIT_NVRTC\n",
      stderr);
  return nullptr;
}

std::string name_of(const Next* compiler) {
  int major = 0, minor = 0;
  Dl_info info{};
  struct stat status {};
  if (!compiler || !compiler->Version || compiler->Version(&major, &minor) != NVRTC_SUCCESS ||
      dladdr(reinterpret_cast<const void*>(compiler->CompileProgram), &info) == 0 || !info.dli_fname ||
      stat(info.dli_fname, &status) != 0)
    return {};
  std::error_code error;
  const auto path = std::filesystem::canonical(info.dli_fname, error);
  return std::to_string(major) + '.' + std::to_string(minor) + ' ' + path.filename().string() + ' ' +
         std::to_string(status.st_size);
}

}  // namespace

const std::string& compiler_name() {
  static NeverDestroyed<std::string> the(name_of(next()));
  return *the;
}

const Next* next() {
  static const Next* const the = find_next();
  return the;
}

}  // namespace nvmlkit::nvrtc
