#include "driver/nvml/access.hpp"

#include <unistd.h>

namespace nvmlkit::driver {

abi::nvmlReturn_t detail::change(const sim::Machine& machine, const sim::model::Gpu& gpu,
                                 abi::nvmlReturn_t (*change)(void*, sim::model::Gpu&), void* context) {
  const sim::state::Lock lock(machine);
  if (lock.refusal() == sim::state::Refusal::read_only) return abi::NVML_ERROR_NO_PERMISSION;
  if (!lock) return abi::NVML_ERROR_TIMEOUT;
  sim::state::Edit edit(lock, static_cast<std::size_t>(&gpu - machine.gpus().data()));
  if (!edit) return abi::NVML_ERROR_MEMORY;
  const auto result = change(context, *edit);
  if (result == abi::NVML_SUCCESS) edit.commit();
  return result;
}

bool is_privileged(const sim::Machine& machine) {
  return geteuid() == 0 || !machine.system().enforce_privilege.value_or(true);
}

}  // namespace nvmlkit::driver
