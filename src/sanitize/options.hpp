// What is checked. The command hands it to the driver library in an environment variable, which children inherit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nvmlkit::sanitize {

inline constexpr const char* kVariable = "NVMLKIT_SANITIZE";

// Which kernels a filter means: by their whole name or a part of it, as the program wrote it or as the linker knows it.
struct KernelFilter {
  enum class Match : std::uint8_t { name, mangled, part, pattern };
  Match match{};
  std::string text;
};

struct Options {
  bool memcheck = false, initcheck = false, racecheck = false, synccheck = false;
  bool finds_leaks = false;
  bool finds_unused = false;                        // memory that nothing writes until it is freed
  bool reports_calls = true;                        // API errors
  bool ends_context = true;                         // after an error of a kernel; else the program goes on
  std::vector<KernelFilter> kernels;                // any of them; none: all
  std::vector<KernelFilter> left_out;               // of these, not those
  std::uint64_t launch_skip = 0, launch_count = 0;  // of the kernels that are meant; 0: all
  std::uint64_t patience_s = 10;                    // until threads that look at memory count as a deadlock
  std::uint64_t seed = 0;                           // of the order of warps and blocks; 0: the usual one
  std::uint64_t only_process = 0;                   // 0: all
  std::string path;                                 // where records go

  std::string encoded() const;
};

// False where the text says nothing about a path.
bool decode(const std::string& text, Options& out);

}  // namespace nvmlkit::sanitize
