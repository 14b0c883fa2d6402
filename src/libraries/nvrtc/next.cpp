#include "libraries/nvrtc/next.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlkit::nvrtc {
namespace {

constexpr const char* kSystemFolders =
#if defined(__x86_64__)
    "/usr/lib/x86_64-linux-gnu:"
#elif defined(__aarch64__)
    "/usr/lib/aarch64-linux-gnu:"
#endif
    "/usr/local/cuda/lib64:/usr/lib64:/usr/lib:/usr/lib/cuda/lib64";

// The release that a program was linked with comes first; another one compiles its programs as well.
constexpr const char* kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};

// A place in this library, for dladdr.
const char here = 0;

std::string own_path() {
  Dl_info info{};
  return dladdr(&here, &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

bool is_same(const std::string& left, const std::string& right) {
  struct stat a {
  }, b{};
  return stat(left.c_str(), &a) == 0 && stat(right.c_str(), &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void add_folders(std::string_view list, std::vector<std::string>& out) {
  while (!list.empty()) {
    const auto end = list.find(':');
    if (const auto folder = list.substr(0, end); !folder.empty()) out.emplace_back(folder);
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
}

// Wheels of PyPI have a folder for each library: nvidia/cuda_nvrtc/lib beside nvidia/cublas/lib and torch/lib.
int add_folder_of(dl_phdr_info* info, std::size_t, void* folders) {
  const std::string path = info->dlpi_name ? info->dlpi_name : "";
  const auto end = path.rfind('/');
  if (end == std::string::npos) return 0;
  auto& out = *static_cast<std::vector<std::string>*>(folders);
  const std::string folder = path.substr(0, end);
  out.push_back(folder);
  out.push_back(folder + "/../../cuda_nvrtc/lib");
  out.push_back(folder + "/../../nvidia/cuda_nvrtc/lib");
  return 0;
}

// Every file that may be NVIDIA's library, the best first.
std::vector<std::string> candidates() {
  std::vector<std::string> folders;
  if (const char* list = secure_getenv("LD_LIBRARY_PATH")) add_folders(list, folders);
  dl_iterate_phdr(&add_folder_of, &folders);
  add_folders(kSystemFolders, folders);
  const std::string own = own_path();
  const auto slash = own.rfind('/');
  const std::string home = slash == std::string::npos ? "." : own.substr(0, slash);
  // Ours are in one folder under all their names.
  std::erase_if(folders, [&](const std::string& folder) { return is_same(folder, home); });
  std::vector<std::string> names = {own.substr(slash == std::string::npos ? 0 : slash + 1)};
  for (const char* name : kNames)
    if (name != names.front()) names.emplace_back(name);
  std::vector<std::string> out;
  for (const std::string& name : names)
    for (const std::string& folder : folders)
      if (const std::string path = folder + '/' + name; access(path.c_str(), R_OK) == 0) out.push_back(path);
  return out;
}

template <class Function>
void find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
}

bool open(const std::string& path, Next& out) {
  int flags = RTLD_NOW | RTLD_LOCAL;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  flags |= RTLD_DEEPBIND;  // its calls of its own functions do not come back to this library
#endif
  void* const library = dlopen(path.c_str(), flags);
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
  return out.CreateProgram && out.CompileProgram && out.GetPTX && out.GetPTXSize;
}

const Next* find_next() {
  static Next found;
  if (const char* named = secure_getenv("NVMLKIT_NVRTC"); named && *named) {
    if (open(named, found)) return &found;
    std::fprintf(stderr, "nvmlkit: NVMLKIT_NVRTC=%s is no libnvrtc of NVIDIA that can be loaded\n", named);
    return nullptr;
  }
  for (const std::string& path : candidates())
    if (open(path, found)) return &found;
  std::fputs(
      "nvmlkit: libnvrtc compiles with NVIDIA's libnvrtc, and there is none in LD_LIBRARY_PATH, beside the libraries "
      "of the "
      "program or in the system's folders; install it (libnvrtc12, nvidia-cuda-nvrtc), or name its file with "
      "NVMLKIT_NVRTC\n",
      stderr);
  return nullptr;
}

}  // namespace

const Next* next() {
  static const Next* const the = find_next();
  return the;
}

}  // namespace nvmlkit::nvrtc
