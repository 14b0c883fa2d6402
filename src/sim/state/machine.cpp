#include "sim/state/machine.hpp"

#include <sys/mman.h>

#include <new>

namespace nvmlkit::sim {

Machine::Machine(void* mapping, std::size_t gpu_count, Access access)
    : block_(mapping, state::shape_of(gpu_count), access), count_(gpu_count) {}

std::unique_ptr<Machine> Machine::create(std::size_t gpu_count) {
  if (gpu_count > kMaxGpus) return nullptr;
  void* mapping = storage::map_private(state::private_format(), state::shape_of(gpu_count));
  return mapping ? adopt(mapping, gpu_count, Access::private_memory) : nullptr;
}

std::unique_ptr<Machine> Machine::adopt(void* mapping, std::size_t gpu_count, Access access) {
  std::unique_ptr<Machine> machine(new (std::nothrow) Machine(mapping, gpu_count, access));
  if (!machine) munmap(mapping, state::total_size(gpu_count));
  return machine;
}

// All zero bytes are a model whose fields are absent (model/field.hpp), so the fresh mapping needs no constructor.
model::Machine& Machine::host() { return *reinterpret_cast<model::Machine*>(block_.bytes() + state::kHostAt); }
const model::Machine& Machine::host() const {
  return *reinterpret_cast<const model::Machine*>(block_.bytes() + state::kHostAt);
}

}  // namespace nvmlkit::sim
