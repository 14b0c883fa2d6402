// Xid errors, typed. Read from registry/semantics/values/xids.yaml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nvmlgen {

struct Xid {
  unsigned number = 0;
  std::string mnemonic, name;
  std::string effect;  // none, lost, reset, unresponsive, double_bit, remap_pending, remap_failed, nvlink
};

// In the order of their numbers. Throws RegistryError.
std::vector<Xid> load_xids(const std::filesystem::path& file);

}  // namespace nvmlgen
