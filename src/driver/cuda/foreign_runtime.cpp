#include "driver/cuda/foreign_runtime.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <cstdint>
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

struct Caller {
  const void* own_base;
  Dl_info found;
};

// The innermost frame outside of this library.
_Unwind_Reason_Code look_at_frame(_Unwind_Context* frame, void* caller) {
  auto& c = *static_cast<Caller*>(caller);
  const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(frame));
  if (address == 0 || dladdr(reinterpret_cast<void*>(address), &c.found) == 0) return _URC_END_OF_STACK;
  if (c.found.dli_fbase != c.own_base) return _URC_END_OF_STACK;
  c.found = {};
  return _URC_NO_REASON;
}

// The program is the object with the headers that the kernel passed to the process.
bool is_the_program(const Dl_info& object) {
  struct Main {
    const void* base;
    bool matches;
  } main{object.dli_fbase, false};
  dl_iterate_phdr(
      [](dl_phdr_info* first, std::size_t, void* data) {
        auto& m = *static_cast<Main*>(data);
        Dl_info info{};
        m.matches = dladdr(first->dlpi_phdr, &info) != 0 && info.dli_fbase == m.base;
        return 1;  // the first object is the program
      },
      &main);
  return main.matches;
}

}  // namespace

std::string calling_library() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&calling_library), &own) == 0) return {};
  Caller caller{own.dli_fbase, {}};
  _Unwind_Backtrace(look_at_frame, &caller);
  return caller.found.dli_fname && !is_the_program(caller.found) ? caller.found.dli_fname : "";
}

std::string foreign_runtime() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&foreign_runtime), &own) == 0 || !own.dli_fname) return {};
  Search search{folder_of(own.dli_fname), {}};
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

}  // namespace nvmlkit::cuda
