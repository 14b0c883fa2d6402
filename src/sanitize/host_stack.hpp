// The calls of the host that led to a place of the driver, outermost last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nvmlkit::sanitize {

struct HostFrame {
  std::string module;        // the file of the program or library
  std::uint64_t offset = 0;  // in it
  std::string function;      // as the linker knows it; empty where the file does not tell
  std::string file;          // of the source, where the command found it
  std::uint64_t line = 0;
};

// Addresses are found at once, names when somebody asks.
class HostStack {
 public:
  // Of the calling thread, without the frames of this library.
  static HostStack here();
  // The same for a handler of a signal that this instruction caused.
  static HostStack from(const void* instruction);
  std::vector<HostFrame> frames() const;
  // The exported function of this library through which the program came in; empty: none. `caller` is the file of who
  // called it.
  std::string entry(std::string& caller) const;

 private:
  std::vector<void*> addresses_;
};

}  // namespace nvmlkit::sanitize
