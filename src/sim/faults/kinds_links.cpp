// Faults of NVLinks and of the fabric.
#include "sim/faults/inject.hpp"
#include "sim/faults/kind_words.hpp"
#include "sim/links/links.hpp"

namespace nvmlkit::sim::faults {
namespace {

using model::Gpu;
using Summary = model::FabricHealthSummary;

Expected<void> inject_nvlink(Gpu& gpu, Words arguments) {
  if (arguments.size() != 2 || (arguments[1] != "down" && arguments[1] != "errors"))
    return fail(missing("a link or all, and down or errors"));
  if (links::count(gpu) == 0) return fail(impossible("the GPU has no NVLink"));
  std::uint64_t which = 0;
  auto good = set_bits(which, arguments[0], links::count(gpu), "link");
  if (good) break_nvlinks(gpu, which, arguments[1] == "down");
  return good;
}

void heal_nvlink(Gpu& gpu) { gpu.faults.nvlinks_down = gpu.faults.nvlinks_erring = 0; }

Active active_nvlink(const Gpu& gpu) {
  auto out = bits_as_words(gpu.faults.nvlinks_down, " down");
  for (auto& word : bits_as_words(gpu.faults.nvlinks_erring, " errors")) out.push_back(std::move(word));
  return out;
}

struct FabricFault {
  std::string_view name;
  model::Field<bool> model::FabricHealth::*flag;
};
constexpr FabricFault kFabricFaults[] = {{"degraded-bandwidth", &model::FabricHealth::degraded_bandwidth},
                                         {"route-recovery", &model::FabricHealth::route_recovery},
                                         {"route-unhealthy", &model::FabricHealth::route_unhealthy},
                                         {"access-timeout", &model::FabricHealth::access_timeout_recovery}};

// The summary follows the details, except where the GPU reports none.
void summarize(model::Fabric& fabric) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < std::size(kFabricFaults); ++i)
    bits |= static_cast<std::uint32_t>((fabric.health.*kFabricFaults[i].flag).value_or(false)) << i;
  if (fabric.health_summary)
    fabric.health_summary = bits == 0 ? Summary::healthy : bits == 1 ? Summary::limited_capacity : Summary::unhealthy;
}

Expected<void> inject_fabric(Gpu& gpu, Words arguments) {
  if (!gpu.fabric.state) return fail(impossible("the GPU is in no fabric"));
  if (arguments.size() != 1)
    return fail(missing("one of degraded-bandwidth, route-recovery, route-unhealthy, access-timeout"));
  const auto* fault = find(kFabricFaults, arguments[0]);
  if (!fault) return unknown("fabric fault", arguments[0], kFabricFaults);
  gpu.fabric.health_mask.reset();
  gpu.fabric.health.*fault->flag = true;
  gpu.faults.fabric_health |= 1U << (fault - kFabricFaults);
  summarize(gpu.fabric);
  return {};
}

void heal_fabric(Gpu& gpu) {
  for (std::size_t i = 0; i < std::size(kFabricFaults); ++i)
    if (gpu.faults.fabric_health >> i & 1) gpu.fabric.health.*kFabricFaults[i].flag = false;
  if (gpu.faults.fabric_health != 0) summarize(gpu.fabric);
  gpu.faults.fabric_health = 0;
}

Active active_fabric(const Gpu& gpu) {
  Active out;
  for (std::size_t i = 0; i < std::size(kFabricFaults); ++i)
    if (gpu.faults.fabric_health >> i & 1) out.emplace_back(kFabricFaults[i].name);
  return out;
}

}  // namespace

constexpr Kind kind::nvlink{"nvlink", "LINK|all down|errors", inject_nvlink, heal_nvlink, active_nvlink};
constexpr Kind kind::fabric{"fabric", "degraded-bandwidth|route-recovery|route-unhealthy|access-timeout", inject_fabric,
                            heal_fabric, active_fabric};

}  // namespace nvmlkit::sim::faults
