// Driver branches, typed: the header of each, and its numbers of field ids. Read from
// registry/semantics/values/driver_branches.yaml and the history of headers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "registry/facts.hpp"

namespace nvmlgen {

// Field ids that changed their numbers, or came, within a branch.
struct Renumbering {
  unsigned since = 0;  // 82 of 580.82
  std::int64_t field_limit = 0;
  std::map<std::int64_t, std::int64_t> moved_fields;  // its id -> today's id, where they differ; 0: it has none
};

struct DriverBranch {
  unsigned number = 0;                                // 535
  std::string version;                                // 535.261.03
  std::string header;                                 // 12.2.140
  std::int64_t field_limit = 0;                       // NVML_FI_MAX of the header
  std::map<std::int64_t, std::int64_t> moved_fields;  // its id -> today's id, where they differ
  std::vector<Renumbering> renumberings;
};

// The CUDA version of every branch that machines name, by number; more than the simulated driver can be.
using CudaOfBranches = std::map<unsigned, std::string>;
CudaOfBranches load_cuda_of_branches(const std::filesystem::path& registry);

// By number. Throws RegistryError for a header that the history does not know.
std::vector<DriverBranch> load_driver_branches(const std::filesystem::path& registry, const Facts& facts);

}  // namespace nvmlgen
