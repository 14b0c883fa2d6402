#include "sim/machine.hpp"

#include <sys/mman.h>

#include <new>

namespace nvmlkit::sim {
namespace {

constexpr std::size_t gpus_at = (sizeof(model::Machine) + 63) / 64 * 64;
static_assert(alignof(model::Gpu) <= 64 && alignof(model::Machine) <= 64);

}  // namespace

std::unique_ptr<Machine> Machine::create(std::size_t gpu_count) {
  if (gpu_count > max_gpus) return nullptr;
  const std::size_t size = gpus_at + gpu_count * sizeof(model::Gpu);
  void* block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) return nullptr;
  std::unique_ptr<Machine> machine(new (std::nothrow) Machine(static_cast<std::byte*>(block), size, gpu_count));
  if (!machine) munmap(block, size);
  return machine;
}

Machine::~Machine() { munmap(block_, size_); }

// All zero bytes are a model whose fields are absent (model/field.hpp), so the fresh mapping needs no constructor.
model::Machine& Machine::host() { return *reinterpret_cast<model::Machine*>(block_); }
const model::Machine& Machine::host() const { return *reinterpret_cast<const model::Machine*>(block_); }

std::span<model::Gpu> Machine::gpus() { return {reinterpret_cast<model::Gpu*>(block_ + gpus_at), count_}; }
std::span<const model::Gpu> Machine::gpus() const {
  return {reinterpret_cast<const model::Gpu*>(block_ + gpus_at), count_};
}

}  // namespace nvmlkit::sim
