#include "serve/machine/events.hpp"

#include <algorithm>
#include <string>

#include "serve/machine/wall_time.hpp"
#include "sim/events/ring.hpp"
#include "sim/generated/model.hpp"
#include "sim/state/read.hpp"
#include "sim/traits/event_types.hpp"

namespace nvmlkit::serve {
namespace {

using Json = nlohmann::ordered_json;
using sim::events::Published;
using Type = sim::model::EventType;

constexpr std::size_t kMostEvents = 1000;
constexpr std::uint64_t kUnbound = sim::events::kSystemEvent | 1, kBound = sim::events::kSystemEvent | 2;

struct TypeName {
  std::uint64_t type;
  const char *name, *level, *text;
};
constexpr TypeName kTypes[] = {
    {Type::xid_critical_error, "nvmlEventTypeXidCriticalError", "error", "Xid"},
    {Type::single_bit_ecc_error, "nvmlEventTypeSingleBitEccError", "warning", "corrected ECC error"},
    {Type::double_bit_ecc_error, "nvmlEventTypeDoubleBitEccError", "error", "uncorrected ECC error"},
    {Type::pstate, "nvmlEventTypePState", "info", "P-state changed"},
    {Type::clock, "nvmlEventTypeClock", "info", "clocks changed"},
    {Type::power_source_change, "nvmlEventTypePowerSourceChange", "info", "power source changed"},
    {Type::mig_config_change, "nvmlEventMigConfigChange", "info", "MIG devices changed"},
    {Type::single_bit_ecc_error_storm, "nvmlEventTypeSingleBitEccErrorStorm", "warning",
     "storm of corrected ECC errors"},
    {Type::dram_retirement, "nvmlEventTypeDramRetirementEvent", "warning", "memory retired"},
    {Type::dram_retirement_failure, "nvmlEventTypeDramRetirementFailure", "error", "memory could not be retired"},
    {Type::non_fatal_poison_error, "nvmlEventTypeNonFatalPoisonError", "warning", "poison contained"},
    {Type::fatal_poison_error, "nvmlEventTypeFatalPoisonError", "error", "poison not contained"},
    {Type::gpu_unavailable_error, "nvmlEventTypeGpuUnavailableError", "error", "GPU unavailable"},
    {Type::gpu_recovery_action, "nvmlEventTypeGpuRecoveryAction", "warning", "recovery action changed"},
    {sim::events::kLossOfGpu, "NVML_ERROR_GPU_IS_LOST", "error", "GPU out of reach"},
    {kUnbound, "nvmlSystemEventTypeGpuDriverUnbind", "warning", "driver unbound from a GPU"},
    {kBound, "nvmlSystemEventTypeGpuDriverBind", "info", "driver bound to a GPU"},
};

// NVML's word for no instance is a number that nobody reads as such.
Json instance_of(std::uint32_t id) { return id == sim::events::kNoInstance ? Json() : Json(id); }

Json json_of(std::uint64_t sequence, const Published& event, const TypeName& about) {
  std::string text = about.text;
  if (event.event.type == Type::xid_critical_error) text.append(" ").append(std::to_string(event.event.data));
  const bool of_system = (event.event.type & sim::events::kSystemEvent) != 0;
  return {{"sequence", sequence},
          {"time_ms", unix_ms_of(event.uptime_us)},
          {"gpu", of_system ? Json() : Json(event.gpu)},
          {"type", about.name},
          {"level", about.level},
          {"data", event.event.data},
          {"gpu_instance", instance_of(event.event.gpu_instance)},
          {"compute_instance", instance_of(event.event.compute_instance)},
          {"text", text}};
}

// Does the driver of the machine report such events? Messages for the kernel log alone are in no table.
bool is_reported(const sim::Machine& machine, const Published& event) {
  if (event.event.type >= sim::events::kLossOfGpu) return true;
  if (event.gpu >= machine.gpus().size()) return false;
  const auto& gpu = machine.gpus()[event.gpu];
  const auto& version = machine.system().driver_version;
  std::uint64_t types = 0;
  (void)sim::state::consistently(machine, machine.sequence(gpu), [&] {
    types = sim::event_types(gpu, version ? version->view() : std::string_view());
  });
  return (types & event.event.type) != 0;
}

}  // namespace

Json Events::take() {
  auto out = Json::array();
  Published event{};
  while (sim::events::take(machine_.events(), cursor_, event)) {
    const auto about = std::find_if(std::begin(kTypes), std::end(kTypes),
                                    [&](const TypeName& each) { return each.type == event.event.type; });
    if (about == std::end(kTypes) || !is_reported(machine_, event)) continue;
    out.push_back(json_of(cursor_ - 1, event, *about));
    kept_.push_back(out.back());
    if (kept_.size() > kMostEvents) kept_.pop_front();
  }
  return out;
}

Json Events::all() const {
  auto out = Json::array();
  for (const auto& each : kept_) out.push_back(each);
  return out;
}

}  // namespace nvmlkit::serve
