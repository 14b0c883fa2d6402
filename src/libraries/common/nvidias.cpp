#include "libraries/common/nvidias.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "libraries/common/soname.hpp"

namespace nvmlkit::libraries {
namespace {

constexpr const char* kSystemFolders =
#if defined(__x86_64__)
    "/usr/lib/x86_64-linux-gnu:"
#elif defined(__aarch64__)
    "/usr/lib/aarch64-linux-gnu:"
#endif
    "/usr/local/cuda/lib64:/usr/lib64:/usr/lib:/usr/lib/cuda/lib64";

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

struct Folders {
  std::string wheel;
  std::vector<std::string> all;
};

// The folder of Python's packages that a file of one lies in; empty if it lies in none.
std::string packages_with(const std::string& path) {
  for (const std::string_view name : {"/site-packages/", "/dist-packages/"})
    if (const auto at = path.rfind(name); at != std::string::npos) return path.substr(0, at + name.size());
  return "";
}

void add_once(const std::string& folder, std::vector<std::string>& out) {
  if (std::find(out.begin(), out.end(), folder) == out.end()) out.push_back(folder);
}

// Wheels of PyPI have a folder for each library, nvidia/cuda_nvrtc/lib beside nvidia/cublas/lib, and since CUDA 13 one
// for all: nvidia/cu13/lib. A program that got ours for all of them has other packages there: torch, numba.
int add_folders_of(dl_phdr_info* info, std::size_t, void* folders) {
  const std::string path = info->dlpi_name ? info->dlpi_name : "";
  const auto end = path.rfind('/');
  if (end == std::string::npos) return 0;
  auto& out = *static_cast<Folders*>(folders);
  const std::string folder = path.substr(0, end), beside = folder + "/../../", packages = packages_with(path);
  add_once(folder, out.all);
  for (const std::string& wheel : {out.wheel, std::string("cu13")}) {
    add_once(beside + wheel + "/lib", out.all);
    add_once(beside + "nvidia/" + wheel + "/lib", out.all);
    if (!packages.empty()) add_once(packages + "nvidia/" + wheel + "/lib", out.all);
  }
  return 0;
}

}  // namespace

std::vector<std::string> places_of(const NvidiasLibrary& library) {
  Folders folders{library.wheel, {}};
  if (const char* list = secure_getenv("LD_LIBRARY_PATH")) add_folders(list, folders.all);
  dl_iterate_phdr(&add_folders_of, &folders);
  add_folders(kSystemFolders, folders.all);
  const std::string own = own_path();
  const auto slash = own.rfind('/');
  const std::string home = slash == std::string::npos ? "." : own.substr(0, slash);
  // Ours are in one folder under all their names.
  std::erase_if(folders.all, [&](const std::string& folder) { return is_same(folder, home); });
  std::vector<std::string> names = {own.substr(slash == std::string::npos ? 0 : slash + 1)};
  for (const std::string& name : library.names)
    if (name != names.front()) names.push_back(name);
  std::vector<std::string> out;
  for (const std::string& name : names)
    for (const std::string& folder : folders.all)
      if (const std::string path = folder + '/' + name; access(path.c_str(), R_OK) == 0) out.push_back(path);
  return out;
}

void* open_nvidias(const std::string& path) {
  int flags = RTLD_NOW | RTLD_LOCAL;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  flags |= RTLD_DEEPBIND;
#endif
  return dlopen(path.c_str(), flags);
}

}  // namespace nvmlkit::libraries
