// Which MIG profile of a GPU explains an instance that a log shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/generated/model.hpp"
#include "smi_log/tables.hpp"
#include "smi_log/values.hpp"

namespace nvmlkit::smi_log {

// A GPU instance by its id, with the MIG devices in it.
struct Instance {
  std::uint32_t id = 0;
  std::vector<const MigDevice*> devices;
  sim::model::MigProfile* profile = nullptr;
  std::uint32_t start = 0;
};

// Name of the GPU instance's profile, from `-L`: 3g.20gb of a 1c.3g.20gb.
std::string listed_profile(const ListedGpu* listing, const Instance& instance);

// Sets profile and start of the instance to those that explain it best, and says how well they do: zero if no profile
// of the GPU has an instance with this id.
int choose_profile(sim::model::Gpu& gpu, const ListedGpu* listing, Instance& instance);

}  // namespace nvmlkit::smi_log
