#include "cli/host_lines.hpp"

#include <dlfcn.h>

namespace nvmlkit::cli {

// The functions of libdw that are needed, with its objects as pointers to nothing in particular.
struct HostLines::Library {
  struct Callbacks {
    void* find_elf;
    int (*find_debuginfo)(void*, void**, const char*, std::uint64_t, const char*, const char*, std::uint32_t, char**);
    void* section_address;
    char** debuginfo_path;
  };
  void* (*begin)(const Callbacks*);
  void (*end)(void*);
  void* (*report)(void*, const char*, const char*, int);
  int (*report_end)(void*, void*, void*);
  void* (*debugging_information)(void*, std::uint64_t* bias);
  void* (*line)(void*, std::uint64_t);
  const char* (*describe)(void*, std::uint64_t*, int* line, int*, std::uint64_t*, std::uint64_t*);
  Callbacks callbacks{};

  bool open() {
    void* const handle = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    bool is_whole = handle != nullptr;
    const auto take = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(handle ? dlsym(handle, name) : nullptr);
      is_whole = is_whole && function;
    };
    take(begin, "dwfl_begin");
    take(end, "dwfl_end");
    take(report, "dwfl_report_offline");
    take(report_end, "dwfl_report_end");
    take(debugging_information, "dwfl_module_getdwarf");
    take(line, "dwfl_module_getsrc");
    take(describe, "dwfl_lineinfo");
    take(callbacks.section_address, "dwfl_offline_section_address");
    // Only what the file itself contains: no other folder, no server.
    callbacks.find_debuginfo = [](void*, void**, const char*, std::uint64_t, const char*, const char*, std::uint32_t,
                                  char**) { return -1; };
    return is_whole;
  }
};

HostLines::HostLines() {
  static Library the;
  static const bool is_there = the.open();
  if (!is_there) return;
  library_ = &the;
  session_ = the.begin(&the.callbacks);
}

HostLines::~HostLines() {
  if (session_) library_->end(session_);
}

void HostLines::find(std::uint64_t address, sanitize::HostFrame& frame) {
  if (!session_) return;
  const auto [known, is_new] = modules_.try_emplace(frame.module);
  auto& module = known->second;
  std::uint64_t bias = 0;
  if (is_new) module = library_->report(session_, frame.module.c_str(), frame.module.c_str(), -1);
  if (!module || !library_->debugging_information(module, &bias)) {
    module = nullptr;
    return;
  }
  int line = 0;
  void* const at = library_->line(module, address + bias);
  const char* const file = at ? library_->describe(at, nullptr, &line, nullptr, nullptr, nullptr) : nullptr;
  if (!file || line <= 0) return;
  frame.file = file;
  frame.line = static_cast<std::uint64_t>(line);
}

}  // namespace nvmlkit::cli
