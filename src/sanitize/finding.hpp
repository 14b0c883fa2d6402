// What a check found, once for a place, with a count.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sanitize/host_stack.hpp"

namespace nvmlkit::sanitize {

enum class Kind : std::uint8_t {
  out_of_bounds,
  misaligned,
  uninitialized,
  bad_free,      // of device code
  kernel_error,  // what else ended a kernel
  call_error,    // of the API
  leak,
  program_start,  // no finding: a process has loaded the driver
  barrier,        // a wrong use of a barrier or of an instruction for a set of lanes
  deadlock,
  race,
  host_access,    // a copy to the host reads what nothing wrote
  unused_memory,  // parts of an allocation that nothing wrote
};

enum class Severity : std::uint8_t { info, warning, error };

enum class Place : std::uint8_t { none, global, shared, local, constant };
enum class Touch : std::uint8_t { none, read, write, atomic };

// An instruction of a kernel or of what it called, innermost first.
struct DevicePlace {
  std::string function;      // as the linker knows it
  std::uint64_t offset = 0;  // in it
  std::string file;          // of the source, where the PTX names it
  std::uint64_t line = 0, ptx_line = 0;
  std::string instruction;  // PTX
};

// The allocation or variable that an address was meant for, as far as one can know.
struct Nearest {
  enum class Relation : std::uint8_t { none, before, after, inside, inside_freed };
  Relation relation = Relation::none;
  std::uint64_t distance = 0, start = 0, size = 0;
  std::string variable;  // its name; empty for an allocation
  std::vector<HostFrame> allocated, freed;
};

// One of several groups of threads that a finding is about: an access of a race, or threads that wait.
struct Side {
  std::string text;
  Touch touch{};
  std::string kernel;
  std::uint64_t thread[3] = {}, block[3] = {};
  std::vector<DevicePlace> places;
  std::vector<HostFrame> host;  // of another launch than the finding's
};

struct Finding {
  Kind kind{};
  Place place{};
  Touch touch{};
  std::uint64_t process = 0, count = 1;
  std::uint64_t size = 0, address = 0;
  std::string kernel;  // as the linker knows it
  std::vector<DevicePlace> places;
  std::uint64_t thread[3] = {}, block[3] = {};
  Nearest nearest;
  std::string call, error_name, text;  // of a call or kernel that went wrong
  std::uint64_t error = 0;
  bool is_of_heap = false;  // of a leak: malloc() of a kernel
  Severity severity = Severity::error;
  std::vector<HostFrame> host;
  std::vector<Side> sides;
  std::vector<std::uint64_t> seeds;  // of the runs that it was found in, where there are several; 0: the usual order

  // What makes two findings the same.
  std::string key() const;
};

// One record ends with an empty line.
std::string record_of(const Finding& finding);
// Takes a whole record off the text; false where none is complete.
bool read_record(std::string_view& text, Finding& out);

}  // namespace nvmlkit::sanitize
