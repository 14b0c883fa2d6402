// Common parts of the functions on vGPU types and instances. Both are numbers, which every call looks up.
#pragma once

#include "driver/nvml/call/access.hpp"
#include "driver/nvml/call/read.hpp"
#include "sim/vgpu/instances.hpp"

namespace nvmlkit::driver {

// A type and the first GPU that can host it.
struct HostedType {
  const sim::model::Gpu* gpu = nullptr;
  const sim::vgpu::Type* type = nullptr;

  explicit operator bool() const { return type != nullptr; }
};
HostedType find_vgpu_type(const sim::Machine& machine, abi::nvmlVgpuTypeId_t id);

// Success, or what the real library answers: 0 is no instance of any machine, another number may be.
abi::nvmlReturn_t find_vgpu(const sim::Machine& machine, abi::nvmlVgpuInstance_t id, sim::vgpu::Active& found);

// `answer(active)` for the instance, where it is there.
template <class Answer>
abi::nvmlReturn_t on_vgpu(const sim::Machine& machine, abi::nvmlVgpuInstance_t id, Answer answer) {
  sim::vgpu::Active active;
  const auto result = find_vgpu(machine, id, active);
  return result == abi::NVML_SUCCESS ? answer(active) : result;
}

// Changes the instance, where it is there.
template <class Change>
abi::nvmlReturn_t change_vgpu(const sim::Machine& machine, abi::nvmlVgpuInstance_t id, Change change_it) {
  return on_vgpu(machine, id, [&](const sim::vgpu::Active& active) {
    return edit_gpu(machine, *active.gpu, [&](sim::model::Gpu& changed) {
      auto* instance = sim::vgpu::find(changed, id);
      return instance ? change_it(*instance) : abi::NVML_ERROR_NOT_FOUND;
    });
  });
}

bool hosts_vgpus(const sim::Machine& machine);

// A text whose caller passes the size of the buffer and gets the needed size.
inline abi::nvmlReturn_t give_text(std::string_view text, char* buffer, unsigned int* size) {
  const auto needed = static_cast<unsigned int>(text.size() + 1);
  if (*size < needed) {
    *size = needed;
    return abi::NVML_ERROR_INSUFFICIENT_SIZE;
  }
  return write_text(text, buffer, *size);
}

// Counted items into an array, one `give(place)` each. The count tells the caller how many there are, whether they fit
// or not.
template <class Out>
struct Filling {
  Out* out;
  unsigned int room, found = 0;

  void give(const Out& item) {
    if (out && found < room) out[found] = item;
    ++found;
  }
  // A caller that asks how many there are, with room for none or nowhere to write, gets this error.
  abi::nvmlReturn_t end(unsigned int* count) const {
    *count = found;
    return found > 0 && (found > room || !out) ? abi::NVML_ERROR_INSUFFICIENT_SIZE : abi::NVML_SUCCESS;
  }
};

}  // namespace nvmlkit::driver
