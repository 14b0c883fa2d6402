#include "ptx/builtins/runtime/children.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace nvmlkit::ptx {
namespace {

constexpr std::uint64_t kChunk = 64 * 1024;

// Bytes of global memory, or null.
std::byte* bytes_at(GlobalMemory& memory, std::uint64_t address, std::uint64_t size, Region& region) {
  if (!memory.find(address, region) || size > region.size - (address - region.start)) return nullptr;
  return region.bytes + (address - region.start);
}

}  // namespace

Children::~Children() {
  for (const auto address : memory_) grid_.memory->release(address);
}

std::uint64_t Children::buffer(std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  size = (size + 15) / 16 * 16;
  if (size > free_bytes_) {
    const auto made = grid_.memory->allocate(std::max(size, kChunk));
    if (made == 0) return 0;
    memory_.push_back(made);
    free_ = made;
    free_bytes_ = std::max(size, kChunk);
  }
  const auto out = free_;
  free_ += size;
  free_bytes_ -= size;
  return out;
}

std::uint64_t Children::prepare(KernelLaunch launch) {
  const auto address = buffer(std::max<std::uint64_t>(launch.kernel->kernel_param_bytes, 1));
  const std::lock_guard lock(mutex_);
  if (address) prepared_[address] = std::move(launch);
  return address;
}

bool Children::start_prepared(std::uint64_t buffer, std::uint64_t stream, std::shared_ptr<const races::Birth> birth) {
  std::unique_lock lock(mutex_);
  auto node = prepared_.extract(buffer);
  lock.unlock();
  if (!node) return false;
  node.mapped().birth = std::move(birth);
  add(std::move(node.mapped()), buffer, stream);
  return true;
}

void Children::add(KernelLaunch launch, std::uint64_t buffer, std::uint64_t stream) {
  launch.params = bytes_of(buffer, launch.kernel->kernel_param_bytes);
  const std::lock_guard lock(mutex_);
  if (stream == kTailLaunch)
    tails_.push_back(std::move(launch));
  else
    tasks_.push_back({true, std::move(launch), {}});
}

void Children::add(const RowsOfBytes& rows) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back({false, {}, rows});
}

std::vector<std::byte> Children::bytes_of(std::uint64_t address, std::size_t size) {
  std::vector<std::byte> out(size);
  Region region;
  if (const auto* p = bytes_at(*grid_.memory, address, size, region)) std::copy_n(p, size, out.begin());
  return out;
}

Fault Children::perform(const RowsOfBytes& r) {
  for (std::uint64_t row = 0; row < r.rows; ++row) {
    Region target, source;
    auto* const to = bytes_at(*grid_.memory, r.to + row * r.to_pitch, r.width, target);
    const auto* const from = r.fills ? to : bytes_at(*grid_.memory, r.from + row * r.from_pitch, r.width, source);
    if (!to || !from || target.is_read_only)
      return {FaultKind::illegal_address, to ? r.from : r.to, grid_.entry->name, 0};
    auto* const written = target.written ? target.written + (r.to + row * r.to_pitch - target.start) : nullptr;
    if (written && !r.fills && source.written)
      std::memmove(written, source.written + (r.from + row * r.from_pitch - source.start), r.width);
    else if (written)
      std::memset(written, kWritten, r.width);
    if (r.fills)
      std::memset(to, r.value, r.width);
    else
      std::memmove(to, from, r.width);
  }
  return {};
}

Fault Children::run_pending() {
  const std::lock_guard running(running_);
  while (true) {
    std::unique_lock lock(mutex_);
    if (done_ == tasks_.size()) {
      tasks_.clear();
      done_ = 0;
      return {};
    }
    const auto task = std::move(tasks_[done_++]);
    lock.unlock();
    Fault fault;
    if (task.is_launch) {
      auto child = ptx::run_kernel(grid_of(grid_, task.launch));
      instructions_ += child.instructions;
      fault = std::move(child.fault);
    } else {
      fault = perform(task.rows);
    }
    if (fault.kind != FaultKind::none) return fault;
  }
}

std::vector<KernelLaunch> Children::take_tails() {
  const std::lock_guard lock(mutex_);
  return std::move(tails_);
}

std::uint64_t Children::new_handle() {
  const std::lock_guard lock(mutex_);
  return handles_++;
}

std::uint64_t Children::text(const std::string& text) {
  std::unique_lock lock(mutex_);
  if (const auto at = texts_.find(text); at != texts_.end()) return at->second;
  lock.unlock();
  const auto address = buffer(text.size() + 1);
  Region region;
  if (auto* const p = bytes_at(*grid_.memory, address, text.size() + 1, region)) {
    std::memcpy(p, text.c_str(), text.size() + 1);
    if (region.written) std::memset(region.written + (address - region.start), kWritten, text.size() + 1);
  }
  lock.lock();
  return texts_.try_emplace(text, address).first->second;
}

int Children::error(std::uint64_t thread, bool forgets) {
  const std::lock_guard lock(mutex_);
  const auto at = errors_.find(thread);
  if (at == errors_.end()) return 0;
  const auto out = at->second;
  if (forgets) errors_.erase(at);
  return out;
}

void Children::keep_error(std::uint64_t thread, int error) {
  const std::lock_guard lock(mutex_);
  errors_[thread] = error;
}

Grid grid_of(const Grid& parent, const KernelLaunch& launch) {
  Grid out = parent;
  out.entry = launch.kernel;
  std::copy_n(launch.blocks, 3, out.blocks);
  std::copy_n(launch.threads, 3, out.threads);
  // The cluster that the kernel was compiled for, where the launch fits it.
  const auto& cluster = launch.kernel->cluster;
  bool fits = std::uint64_t{cluster[0]} * cluster[1] * cluster[2] <= 16;
  for (int k = 0; k < 3; ++k) fits = fits && cluster[k] != 0 && launch.blocks[k] % cluster[k] == 0;
  out.is_cluster_launch = fits;
  for (int k = 0; k < 3; ++k) out.cluster[k] = fits ? cluster[k] : 1;
  out.dynamic_shared = launch.dynamic_shared;
  out.params = launch.params;
  out.cooperative = false;
  out.workspace = 0;
  out.depth = parent.depth + 1;
  out.children = nullptr;
  out.birth = launch.birth;
  return out;
}

Outcome run_kernel(const Grid& grid) {
  Outcome outcome;
  std::vector<KernelLaunch> tails;  // the next one is the last
  KernelLaunch current;
  auto own = grid;
  while (true) {
    Children children(own);
    own.children = &children;
    auto done = run_grid(own);
    outcome.fault = std::move(done.fault);
    if (outcome.fault.kind == FaultKind::none) outcome.fault = children.run_pending();
    outcome.instructions += done.instructions + children.instructions();
    // Those of a tail launch go before what waits behind it.
    auto more = children.take_tails();
    std::move(more.rbegin(), more.rend(), std::back_inserter(tails));
    if (outcome.fault.kind != FaultKind::none || tails.empty()) return outcome;
    current = std::move(tails.back());
    tails.pop_back();
    own = grid_of(grid, current);
    own.depth = grid.depth;
    own.birth = grid.birth;
  }
}

}  // namespace nvmlkit::ptx
