#include "sim/machine.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace nvmlkit::sim {

Machine::Machine(std::byte* block, std::size_t gpu_count, Access access)
    : block_(block), count_(gpu_count), access_(access), process_(getpid()) {}

std::unique_ptr<Machine> Machine::create(std::size_t gpu_count) {
  if (gpu_count > kMaxGpus) return nullptr;
  const std::size_t size = state::total_size(gpu_count);
  void* block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) return nullptr;
  if (!state::make_header(*static_cast<state::Header*>(block), gpu_count)) {
    munmap(block, size);
    return nullptr;
  }
  return adopt(block, gpu_count, Access::private_memory);
}

std::unique_ptr<Machine> Machine::adopt(void* block, std::size_t gpu_count, Access access) {
  std::unique_ptr<Machine> machine(new (std::nothrow) Machine(static_cast<std::byte*>(block), gpu_count, access));
  if (!machine) munmap(block, state::total_size(gpu_count));
  return machine;
}

Machine::~Machine() { munmap(block_, state::total_size(count_)); }

bool Machine::entered_by_child() const {
  const int here = getpid();
  return process_.exchange(here, std::memory_order_relaxed) != here;
}

// All zero bytes are a model whose fields are absent (model/field.hpp), so the fresh mapping needs no constructor.
model::Machine& Machine::host() { return *reinterpret_cast<model::Machine*>(block_ + state::kHostAt); }
const model::Machine& Machine::host() const {
  return *reinterpret_cast<const model::Machine*>(block_ + state::kHostAt);
}

}  // namespace nvmlkit::sim
