// Xid errors, typed. Read from registry/semantics/values/xids.yaml.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nvmlgen {

// The GPU operational event that is published with an Xid.
struct OperationalEvent {
  std::string module;  // at most 16 bytes
  unsigned code = 0;
  unsigned category = 0;  // 0: its number was not found
  std::string severity;   // informational, corrected, recoverable, fatal
  std::string level;      // telemetry, diag, notice, warning, error
};

struct Xid {
  unsigned number = 0;
  std::string mnemonic, name;
  std::string log;  // message in the kernel log; empty: the name
  std::optional<OperationalEvent> operational;
  std::string effect;  // none, lost, reset, unresponsive, double_bit, remap_pending, remap_failed, nvlink
};

// Of an NVSwitch. Read from registry/semantics/values/sxids.yaml.
struct Sxid {
  unsigned number = 0;
  std::string message;
  bool fatal = false;
};

// In the order of their numbers. Throw RegistryError.
std::vector<Sxid> load_sxids(const std::filesystem::path& file);
std::vector<Xid> load_xids(const std::filesystem::path& file);

}  // namespace nvmlgen
