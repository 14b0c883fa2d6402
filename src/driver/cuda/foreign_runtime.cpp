#include "driver/cuda/foreign_runtime.hpp"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

namespace nvmlkit::cuda {
namespace {

std::string_view folder_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

struct Search {
  std::string_view own_folder;
  std::string found;
};

int look_at(dl_phdr_info* object, std::size_t, void* search) {
  auto& s = *static_cast<Search*>(search);
  const std::string_view path = object->dlpi_name ? object->dlpi_name : "";
  const auto folder = folder_of(path);
  if (!path.substr(folder.size()).starts_with("libcudart.so") || folder == s.own_folder) return 0;
  s.found = path;
  return 1;
}

}  // namespace

std::string foreign_runtime() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&foreign_runtime), &own) == 0 || !own.dli_fname) return {};
  Search search{folder_of(own.dli_fname), {}};
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

}  // namespace nvmlkit::cuda
