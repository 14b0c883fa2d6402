// Lines of the host's source, from the debugging information of a program or library. libdw of elfutils reads it, where
// it is installed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sanitize/host_stack.hpp"

namespace nvmlkit::cli {

class HostLines {
 public:
  HostLines();
  ~HostLines();
  HostLines(const HostLines&) = delete;
  HostLines& operator=(const HostLines&) = delete;

  // Of the instruction at an address, as the file counts addresses. Nothing is changed where no line is known.
  void find(std::uint64_t address, sanitize::HostFrame& frame);

 private:
  struct Library;
  Library* library_ = nullptr;
  void* session_ = nullptr;
  std::map<std::string, void*> modules_;  // null: without debugging information
};

}  // namespace nvmlkit::cli
