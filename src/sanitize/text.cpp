#include "sanitize/text.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

#include "sanitize/device_names.hpp"

namespace nvmlkit::sanitize {
namespace {

std::string hex(std::uint64_t value) {
  char out[24];
  std::snprintf(out, sizeof out, "0x%llx", static_cast<unsigned long long>(value));
  return out;
}

std::string triple(const std::uint64_t (&at)[3], const Style& style) {
  const auto axis = [&](int k) { return std::to_string(at[k] + style.first_index); };
  return '(' + axis(0) + ',' + axis(1) + ',' + axis(2) + ')';
}

std::string name_of(Place place) {
  constexpr const char* kNames[] = {"", "__global__", "__shared__", "__local__", "__constant__"};
  return kNames[static_cast<std::size_t>(place)];
}

std::string name_of(Touch touch) {
  constexpr const char* kNames[] = {"access", "read", "write", "atomic"};
  return kNames[static_cast<std::size_t>(touch)];
}

std::string of_bytes(std::uint64_t size) { return size ? " of size " + with_commas(size) + " bytes" : ""; }

std::string shown(const std::string& path, const Style& style) {
  return style.strips_paths ? path.substr(path.rfind('/') + 1) : path;
}

std::string text_of(const DevicePlace& place, const Style& style) {
  std::string out = device_name(place.function, style.demangling) + '+' + hex(place.offset);
  if (!place.file.empty()) out += " in " + shown(place.file, style) + ':' + std::to_string(place.line);
  return out;
}

// What lies between the program and the driver: the runtime, and what the compiler makes of a launch.
bool is_of_runtime(const HostFrame& frame, const std::string& kernel) {
  const auto& name = frame.function;
  const auto file = frame.module.substr(frame.module.rfind('/') + 1);
  return file.starts_with("libcudart") || name.find("device_stub_") != name.npos ||
         name.find("__cudaLaunchKernel") != name.npos || (!kernel.empty() && name == kernel);
}

std::vector<HostFrame> short_of(const std::vector<HostFrame>& frames, const std::string& kernel, bool with_runtime) {
  auto end = std::ranges::find(frames, "main", &HostFrame::function);
  if (end != frames.end()) ++end;
  std::vector<HostFrame> out;
  std::copy_if(frames.begin(), end, std::back_inserter(out),
               [&](const auto& f) { return with_runtime || !is_of_runtime(f, kernel); });
  return out;
}

constexpr std::string_view kOwnAccess = "the access of the host";

// `kernel` of a launch. Of an allocation the runtime stays.
void add_frames(std::vector<std::string>& out, const char* when, const std::vector<HostFrame>& all, const Style& style,
                const std::string& kernel = {}) {
  if (!style.shows_host || all.empty()) return;
  const bool is_of_call = std::string_view(when) != kOwnAccess;
  out.push_back(std::string("    Saved host backtrace ") + (is_of_call ? "up to driver entry point at " : "at ") +
                when);
  const bool with_runtime = std::string_view(when) == "allocation time";
  std::uint32_t count = 0;
  for (const auto& frame : style.is_short ? short_of(all, kernel, with_runtime) : all) {
    if (style.host_callers != 0 && count++ == style.host_callers) break;
    auto name = frame.function.empty() ? "" : ' ' + demangled(frame.function);
    if (!frame.file.empty()) name += " in " + shown(frame.file, style) + ':' + std::to_string(frame.line);
    out.push_back("        Host Frame:" + name + " [" + hex(frame.offset) + "] in " + shown(frame.module, style));
  }
}

void add_nearest(std::vector<std::string>& out, const Nearest& n) {
  using Relation = Nearest::Relation;
  if (n.relation == Relation::none) return;
  const auto of_size = " at " + hex(n.start) + " of size " + with_commas(n.size) + " bytes";
  const auto what = n.variable.empty() ? "the nearest allocation" : "variable " + demangled(n.variable);
  if (n.relation == Relation::inside_freed)
    out.push_back("    and is inside an allocation" + of_size + " that was freed");
  else if (n.relation == Relation::inside)
    out.push_back("    and is inside " + what + of_size);
  else
    out.push_back("    and is " + with_commas(n.distance) + " bytes " +
                  (n.relation == Relation::before ? "before " : "after ") + what + of_size);
}

void add_device(std::vector<std::string>& out, const Finding& f, const Style& style) {
  if (!f.places.empty()) {
    const auto& place = f.places[0];
    out.push_back("    at " + text_of(place, style));
    if (!place.instruction.empty())
      out.push_back("    PTX line " + std::to_string(place.ptx_line) + ": " + place.instruction);
  }
  auto by = "    by thread " + triple(f.thread, style) + " in block " + triple(f.block, style);
  out.push_back(by);
  if (f.count > 1)
    out.push_back("    and by " + with_commas(f.count - 1) + (f.count == 2 ? " more thread" : " more threads"));
}

void add_callers(std::vector<std::string>& out, const std::vector<DevicePlace>& places, const Style& style) {
  if (!style.shows_device) return;
  for (std::size_t k = 1; k < places.size() && (style.device_callers == 0 || k <= style.device_callers); ++k)
    out.push_back("        Device Frame: " + text_of(places[k], style));
}

const char* access_name(Touch touch) {
  return touch == Touch::read ? "Read" : touch == Touch::write ? "Write" : "Atomic";
}

std::string text_of(const Side& side, const Style& style) {
  const auto out = std::string(access_name(side.touch)) + " access ";
  return side.places.empty() ? out + "by " + side.text : out + "at " + text_of(side.places[0], style);
}

// The two accesses of a race. Within a function they stand in the order of its instructions.
std::pair<const Side*, const Side*> sides_of(const Finding& f) {
  const auto &a = f.sides[0], &b = f.sides[1];
  const bool is_turned = !a.places.empty() && !b.places.empty() && a.kernel == b.kernel &&
                         a.places[0].function == b.places[0].function && b.places[0].offset < a.places[0].offset;
  return is_turned ? std::pair{&b, &a} : std::pair{&a, &b};
}

std::string race_title(const Finding& f, const Style& style) {
  constexpr const char* kLevels[] = {"Info", "Warning", "Error"};
  std::string out = kLevels[static_cast<std::size_t>(f.severity)];
  out += ": Race reported between ";
  return f.sides.size() != 2 ? out + "accesses" : out + text_of(*sides_of(f).first, style);
}

void add_inner(std::vector<std::string>& out, const std::vector<DevicePlace>& places, const Style& style) {
  if (!places.empty() && !places[0].instruction.empty())
    out.push_back("        PTX line " + std::to_string(places[0].ptx_line) + ": " + places[0].instruction);
  add_callers(out, places, style);
}

void add_race(std::vector<std::string>& out, const Finding& f, const Style& style) {
  if (f.sides.size() != 2) return;
  const auto [first, second] = sides_of(f);
  out.push_back("    and " + text_of(*second, style) + " [" + with_commas(f.count) +
                (f.count == 1 ? " hazard]" : " hazards]"));
  for (const auto* side : {first, second}) {
    if (side->places.empty()) continue;
    out.push_back("    " + std::string(access_name(side->touch)) + " by thread " + triple(side->thread, style) +
                  " in block " + triple(side->block, style) +
                  (side->kernel == f.kernel ? "" : " of kernel " + device_name(side->kernel, style.demangling)));
    add_inner(out, side->places, style);
  }
  auto where = "    of " + name_of(f.place) + " memory at " + hex(f.address);
  if (!f.nearest.variable.empty()) where += " in variable " + demangled(f.nearest.variable);
  out.push_back(std::move(where));
  if (!f.text.empty()) out.push_back("    " + f.text);
  for (const auto* side : {first, second}) {
    const bool is_of_host = side->kernel.empty() && !side->host.empty();
    add_frames(out, is_of_host ? kOwnAccess.data() : "launch time of the other kernel", side->host, style,
               side->kernel);
  }
}

void add_waiters(std::vector<std::string>& out, const Finding& f, const Style& style) {
  for (const auto& side : f.sides) {
    out.push_back("    " + side.text);
    if (!side.places.empty()) out.push_back("        at " + text_of(side.places[0], style));
    add_inner(out, side.places, style);
  }
}

void add_unused(std::vector<std::string>& out, const Finding& f) {
  char share[16];
  std::snprintf(share, sizeof share, "%.2f", 100.0 * static_cast<double>(f.size) / static_cast<double>(f.nearest.size));
  out.push_back("    Not written " + std::to_string(f.size) + " bytes, the first of them at " + hex(f.address));
  out.push_back(std::string("    ") + share + "% of allocation were unused.");
}

}  // namespace

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;  // or it may be read as a type
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text ? text : name;
  std::free(text);
  return out;
}

std::string with_commas(std::uint64_t number) {
  auto out = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(out.size()) - 3; at > 0; at -= 3)
    out.insert(static_cast<std::size_t>(at), 1, ',');
  return out;
}

std::string title(const Finding& f) {
  switch (f.kind) {
    case Kind::out_of_bounds:
    case Kind::misaligned:
      return "Invalid " + name_of(f.place) + ' ' + name_of(f.touch) + of_bytes(f.size);
    case Kind::uninitialized:
      return "Uninitialized " + name_of(f.place) + " memory read" + of_bytes(f.size);
    case Kind::bad_free:
      return "Malloc/Free error encountered : " + f.text;
    case Kind::kernel_error:
      return "Kernel ended with an error: " + f.text;
    case Kind::call_error:
      return "Program hit " + f.error_name + " (error " + std::to_string(f.error) + ") due to \"" + f.text +
             "\" on CUDA API call to " + f.call + '.';
    case Kind::leak:
      return "Leaked " + with_commas(f.size) + " bytes at " + hex(f.address) +
             (f.is_of_heap ? " on the device heap" : "");
    case Kind::barrier:
      return "Barrier error detected. " + f.call + '.';
    case Kind::deadlock:
      return "Deadlock detected. No thread of the block can continue.";
    case Kind::race:
      return race_title(f, {.strips_paths = false});
    case Kind::host_access:
      return "Host API memory access error at host access to " + hex(f.nearest.start) + of_bytes(f.size);
    case Kind::unused_memory:
      return "Unused memory in allocation " + hex(f.nearest.start) + of_bytes(f.nearest.size);
    case Kind::program_start:
      break;
  }
  return {};
}

std::vector<std::string> lines_of(const Finding& f, const Style& style) {
  std::vector<std::string> out{f.kind == Kind::race ? race_title(f, style) : title(f)};
  const bool is_access = f.kind == Kind::out_of_bounds || f.kind == Kind::misaligned || f.kind == Kind::uninitialized;
  if (is_access) {
    add_device(out, f, style);
    const char* const is = f.kind == Kind::misaligned      ? " is misaligned"
                           : f.kind == Kind::out_of_bounds ? " is out of bounds"
                                                           : "";
    out.push_back((f.kind == Kind::uninitialized ? "    Address " : "    Access to ") + hex(f.address) + is);
    add_nearest(out, f.nearest);
  }
  if (f.kind == Kind::barrier) {
    add_device(out, f, style);
    out.push_back("    " + f.text);
  }
  if (f.kind == Kind::race) add_race(out, f, style);
  if (f.kind == Kind::deadlock) add_waiters(out, f, style);
  if (f.kind == Kind::host_access)
    out.push_back("    Uninitialized access to " + hex(f.address) + " on access by " + f.text);
  if (f.kind == Kind::unused_memory) add_unused(out, f);
  if (f.kind == Kind::bad_free) {
    add_device(out, f, style);
    out.push_back("    Address " + hex(f.address));
    add_nearest(out, f.nearest);
  }
  add_callers(out, f.places, style);
  const char* const when = f.kind == Kind::call_error      ? "error"
                           : f.kind == Kind::leak          ? "allocation time"
                           : f.kind == Kind::host_access   ? "error"
                           : f.kind == Kind::unused_memory ? "allocation time"
                                                           : "kernel launch time";
  add_frames(out, when, f.host, style, f.kernel);
  if (!is_access) return out;
  add_frames(out, "allocation time", f.nearest.allocated, style);
  add_frames(out, "the time of its release", f.nearest.freed, style);
  return out;
}

}  // namespace nvmlkit::sanitize
