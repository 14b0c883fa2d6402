// A simulated machine: one mapped block that holds the host and its GPUs, and nothing that points anywhere.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "sim/generated/model.hpp"

namespace nvmlkit::sim {

inline constexpr std::size_t max_gpus = 1024;

class Machine {
 public:
  // A machine without values: every field is absent. Null when memory is refused or `gpu_count` exceeds max_gpus.
  // Pages are touched only when something is written to them.
  static std::unique_ptr<Machine> create(std::size_t gpu_count);

  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const model::Machine& host() const;
  model::Machine& host();
  const model::System& system() const { return host().system; }
  model::System& system() { return host().system; }
  std::span<const model::Gpu> gpus() const;
  std::span<model::Gpu> gpus();

 private:
  Machine(std::byte* block, std::size_t size, std::size_t gpu_count) : block_(block), size_(size), count_(gpu_count) {}

  std::byte* block_;
  std::size_t size_;
  std::size_t count_;
};

}  // namespace nvmlkit::sim
