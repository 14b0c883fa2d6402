// Values of a machine from logs, by the paths of machine files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "smi_log/log.hpp"

namespace nvmlkit::smi_log {

struct Value {
  std::string yaml;  // in flow style; "N/A" = the GPU does not have it
  Place place;
  bool weak = false;       // a conclusion: counts only where the profile says nothing, or that there is none
  bool hidden = false;     // N/A because of a mode: counts only where the profile says nothing at all
  bool only_over = false;  // counts only in place of a value of the profile
};

// By the path of the field. What came first stays.
using Values = std::map<std::string, Value>;

// Empty where there is none.
inline std::string yaml_at(const Values& values, const std::string& path) {
  const auto at = values.find(path);
  return at == values.end() ? std::string() : at->second.yaml;
}

// A MIG device: a compute instance with what its GPU instance gives it.
struct MigDevice {
  Place place;
  std::uint32_t index = 0, instance = 0, compute = 0;
  std::optional<std::uint64_t> sm, ce, dec, enc, jpeg, ofa, sram;
  std::optional<std::uint64_t> total, used, free, bar1;  // memory in MiB
};

struct GpuValues {
  std::string bus_id;
  Place place;
  Values values;
  std::vector<MigDevice> mig_devices;
  std::map<std::uint32_t, std::uint64_t> process_mib;  // what processes hold of each GPU instance
};

// Lines that did not become part of the machine, each with its place.
struct Leftovers {
  std::vector<std::string> unreadable;  // a value of another form than is known
  std::vector<std::string> not_kept;    // the model has no field for it
  std::vector<std::string> unknown;     // the table has no row for it
  std::vector<std::string> others;      // of outputs that are not read
};

struct MachineValues {
  std::string comment;  // the first line of the file; empty: that it was imported, and from what
  Values host;          // paths from the top of a machine file
  std::vector<GpuValues> gpus;
  std::vector<std::string> notes;  // for people, one line each
  Leftovers leftovers;
};

// Adds what a log says. GPUs that an earlier log described get what that did not say.
Expected<void> add_log(const Log& log, MachineValues& machine);

}  // namespace nvmlkit::smi_log
