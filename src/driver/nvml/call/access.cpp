#include "driver/nvml/call/access.hpp"

#include <unistd.h>

#include "sim/setters/changes.hpp"
#include "sim/transaction/edit.hpp"

namespace nvmlkit::driver {
abi::nvmlReturn_t detail::edit_gpu(const sim::Machine& machine, const sim::model::Gpu& gpu,
                                   abi::nvmlReturn_t (*change)(void*, sim::model::Gpu&), void* context) {
  const sim::state::Lock lock(machine);
  if (lock.refusal() == sim::state::Refusal::read_only) return abi::NVML_ERROR_NO_PERMISSION;
  if (!lock) return abi::NVML_ERROR_TIMEOUT;
  sim::transaction::Edit edit(lock, static_cast<std::size_t>(&gpu - machine.gpus().data()));
  if (!edit) return abi::NVML_ERROR_MEMORY;
  const auto result = change(context, *edit);
  if (result != abi::NVML_SUCCESS) return result;
  sim::setters::raise_events(gpu, *edit);
  edit.commit();
  return result;
}

bool is_privileged(const sim::Machine& machine) {
  return geteuid() == 0 || !machine.system().enforce_privilege.value_or(true);
}

}  // namespace nvmlkit::driver
