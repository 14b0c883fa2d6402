#include "driver/cuda/sanitize/launch_checks.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "driver/cuda/sanitize/kernel_filter.hpp"
#include "driver/cuda/sanitize/managed_pages.hpp"
#include "driver/cuda/sanitize/sanitizer.hpp"
#include "driver/cuda/sanitize/work_order.hpp"

namespace nvmlkit::cuda::sanitizer {
namespace {

sanitize::Kind kind_of(ptx::BadAccess::Kind kind) {
  switch (kind) {
    case ptx::BadAccess::Kind::out_of_bounds:
      return sanitize::Kind::out_of_bounds;
    case ptx::BadAccess::Kind::misaligned:
      return sanitize::Kind::misaligned;
    case ptx::BadAccess::Kind::uninitialized:
      return sanitize::Kind::uninitialized;
    case ptx::BadAccess::Kind::bad_free:
      return sanitize::Kind::bad_free;
  }
  return sanitize::Kind::out_of_bounds;
}

sanitize::Place place_of(ptx::Space space) {
  switch (space) {
    case ptx::Space::shared:
      return sanitize::Place::shared;
    case ptx::Space::local:
      return sanitize::Place::local;
    case ptx::Space::constant:
    case ptx::Space::kernel_param:
      return sanitize::Place::constant;
    default:
      return sanitize::Place::global;
  }
}

sanitize::Nearest nearest_of(const ptx::BadAccess& access) {
  using Relation = sanitize::Nearest::Relation;
  if (!access.nearest)
    return access.space == ptx::Space::global || access.space == ptx::Space::generic ||
                   access.space == ptx::Space::constant
               ? nearest_to(access.address)
               : sanitize::Nearest{};
  const auto start = access.nearest_start, end = start + access.nearest_size;
  const auto relation = access.address < start  ? Relation::before
                        : access.address >= end ? Relation::after
                                                : Relation::inside;
  const auto distance = relation == Relation::before  ? start - access.address
                        : relation == Relation::after ? access.address - end + 1
                                                      : 0;
  return {relation, distance, start, access.nearest_size, access.nearest->name, {}, {}};
}

// Of the launches of kernels that the filters mean.
bool is_meant(const ptx::Function& kernel) {
  const auto& options = *sanitize::options();
  if (!options.kernels.empty() && !matches(options.kernels, kernel.name)) return false;
  if (matches(options.left_out, kernel.name)) return false;
  static constinit std::atomic<std::uint64_t> launches{0};
  const auto number = launches++;
  return number >= options.launch_skip &&
         (options.launch_count == 0 || number - options.launch_skip < options.launch_count);
}

}  // namespace

sanitize::Touch touch_of(ptx::Touch touch) {
  return touch == ptx::Touch::reads    ? sanitize::Touch::read
         : touch == ptx::Touch::writes ? sanitize::Touch::write
                                       : sanitize::Touch::atomic;
}

std::unique_ptr<LaunchChecks> LaunchChecks::make(const Launch& launch) {
  if (!is_on()) return nullptr;
  note_host_writes();
  if (!is_meant(*launch.function->code)) return nullptr;
  return std::make_unique<LaunchChecks>(launch);
}

LaunchChecks::LaunchChecks(const Launch& launch) : launch_(launch) {
  order = work_order::current();
  about = std::make_shared<const Other>(Other{std::make_shared<const Launch>(launch), {}});
}

sanitize::Finding LaunchChecks::finding_of(const ptx::BadAccess& access) const {
  sanitize::Finding out;
  out.kind = kind_of(access.kind);
  out.place = place_of(access.space);
  out.touch = touch_of(access.touch);
  out.size = access.size;
  out.address = access.address;
  out.kernel = launch_.function->code->name;
  for (int k = 0; k < 3; ++k) {
    out.thread[k] = access.thread[k];
    out.block[k] = access.block[k];
  }
  out.places = places_of(launch_, access.places);
  out.nearest = nearest_of(access);
  if (out.kind == sanitize::Kind::bad_free)
    out.text = was_freed_by_kernel(access.address) ? "Double free" : "Invalid pointer to free";
  if (launch_.origin) out.host = launch_.origin->frames();
  return out;
}

void LaunchChecks::found(const ptx::BadAccess& access) {
  const bool counts = access.kind == ptx::BadAccess::Kind::uninitialized ? sanitize::options()->initcheck
                                                                         : sanitize::options()->memcheck;
  if (!counts) return;
  const Key key{access.places[0].function, access.places[0].instruction, access.kind};
  const std::lock_guard lock(mutex_);
  const auto at = findings_.find(key);
  if (at == findings_.end())
    findings_.emplace(key, finding_of(access));
  else
    ++at->second.count;
}

// Instructions whose writes no check sees may have written anything.
void LaunchChecks::note_unseen() const {
  const auto& functions = launch_.function->module->code->functions;
  if (std::ranges::none_of(functions, &ptx::Function::writes_unseen)) return;
  for (const auto& allocation : memory::all())
    if (allocation->written) std::memset(allocation->written, ptx::kWritten, allocation->size);
}

bool LaunchChecks::finish(const ptx::Fault& fault, const std::string& text) {
  const std::lock_guard lock(mutex_);
  bool has_errors = false;
  for (const auto& [key, finding] : findings_) {
    const auto kind = std::get<ptx::BadAccess::Kind>(key);
    has_errors |= kind == ptx::BadAccess::Kind::out_of_bounds || kind == ptx::BadAccess::Kind::misaligned;
    sanitize::record(finding);
  }
  if (sanitize::options()->initcheck) note_unseen();
  for (const auto& [key, finding] : barriers_) sanitize::record(finding);
  if (!text.empty() && !has_deadlock_ && sanitize::options()->memcheck) {
    sanitize::Finding ended;
    ended.kind = sanitize::Kind::kernel_error;
    ended.kernel = launch_.function->code->name;
    ended.text = text;
    for (int k = 0; k < 3; ++k) {
      ended.thread[k] = fault.thread[k];
      ended.block[k] = fault.block[k];
    }
    if (launch_.origin) ended.host = launch_.origin->frames();
    sanitize::record(std::move(ended));
  }
  return has_errors && sanitize::options()->ends_context;
}

}  // namespace nvmlkit::cuda::sanitizer
