// Memory as a kernel of a context reaches it.
#pragma once

#include "driver/cuda/context/context.hpp"
#include "ptx/memory_view.hpp"

namespace nvmlkit::cuda {

struct Allocation;

class ContextMemory final : public ptx::GlobalMemory {
 public:
  explicit ContextMemory(Context& context) : context_(context) {}

  bool find(std::uint64_t address, ptx::Region& region) override;
  std::uint64_t allocate(std::uint64_t size) override;
  // Memory that is not of the heap stays.
  bool release(std::uint64_t address) override;
  void set_condition(std::uint64_t handle, std::uint32_t value) override;
  std::size_t sample(std::span<const ptx::Lookup> lookups, ptx::Sampled* out) override;
  bool sample_row(const ptx::LookupRow& row, ptx::SampledRow& out) override;
  bool surface(std::uint64_t handle, const std::int32_t at[3], std::size_t size, bool clamps, std::byte*& out) override;

 private:
  // Memory of another GPU needs peer access to a context of it.
  bool may_reach(const Allocation& a);

  Context& context_;
};

}  // namespace nvmlkit::cuda
