#include "driver/nvml/events/supported.hpp"

#include "driver/nvml/call/access.hpp"
#include "nvmlkit/generated/abi.hpp"
#include "sim/traits/architecture.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::driver {

using namespace abi;

unsigned long long supported_events(const sim::Machine& machine, const sim::model::Gpu& gpu) {
  using sim::model::Architecture;
  const bool counts_errors =
      gpu.ecc.mode_current && static_cast<nvmlEnableState_t>(*gpu.ecc.mode_current) == NVML_FEATURE_ENABLED;
  const auto& version = machine.system().driver_version;
  const auto branch = version ? sim::branch_number(version->view()) : 0;
  long long types = EventTypePState | EventTypeXidCriticalError | EventTypeClock;
  if (counts_errors) types |= EventTypeSingleBitEccError | EventTypeDoubleBitEccError;
  if (gpu.mig.mode_current) types |= EventMigConfigChange;
  // The types of the driver that came with CUDA 12.6 tell of what Ampere and later GPUs do about memory errors.
  if (branch >= 560 && sim::is_from(gpu, Architecture::ampere) && counts_errors)
    types |= EventTypeSingleBitEccErrorStorm | EventTypeDramRetirementEvent | EventTypeDramRetirementFailure;
  if (branch >= 560 && sim::is_from(gpu, Architecture::hopper) && counts_errors)
    types |= EventTypeNonFatalPoisonError | EventTypeFatalPoisonError;
  if (branch >= 570 && sim::is_from(gpu, Architecture::ampere))
    types |= EventTypeGpuUnavailableError | EventTypeGpuRecoveryAction;
  return static_cast<unsigned long long>(types);
}

bool may_see(const sim::Machine& machine, const sim::events::Event& event) {
  return event.gpu_instance == sim::events::kNoInstance || is_privileged(machine);
}

}  // namespace nvmlkit::driver
