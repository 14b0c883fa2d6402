// The kinds of faults of a GPU: words, effect, end.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/generated/model.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::sim::faults {

using Words = std::span<const std::string>;

struct Kind {
  std::string_view name;
  std::string_view usage;  // what follows the name
  // Makes it on the copy of an edit.
  Expected<void> (*inject)(model::Gpu& gpu, Words arguments);
  void (*heal)(model::Gpu& gpu);  // null: it leaves nothing that could end
  // The words after the name for each such fault that the GPU has.
  std::vector<std::string> (*active)(const model::Gpu& gpu);
};

std::span<const Kind* const> kinds();
const Kind* find_kind(std::string_view name);

// Each lies in the file of its subject: kinds_reach.cpp, kinds_memory.cpp, kinds_board.cpp, kinds_links.cpp.
namespace kind {
extern const Kind xid, lost, reset_required, off_bus, removed, recovery;
extern const Kind ecc, remap, bank_remap;
extern const Kind fan, inforom, thermal, power_brake;
extern const Kind nvlink, fabric;
extern const Kind event;
}  // namespace kind

}  // namespace nvmlkit::sim::faults
