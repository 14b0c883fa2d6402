#include "driver/cuda/sanitize/sanitizer.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <mutex>

#include "base/never_destroyed.hpp"
#include "driver/cuda/context/device_heap.hpp"
#include "driver/cuda/errors.hpp"
#include "driver/cuda/memory/memory.hpp"
#include "driver/cuda/sanitize/host_places.hpp"
#include "driver/cuda/sanitize/managed_pages.hpp"
#include "ptx/checks.hpp"

namespace nvmlkit::cuda::sanitizer {
namespace {

using Relation = sanitize::Nearest::Relation;

// Between variables of a module, and behind allocations.
constexpr std::uint32_t kGap = 256;
constexpr std::uint64_t kRedZone = 16 * 1024;
constexpr std::size_t kRemembered = 4096;

struct Freed {
  CUdeviceptr address = 0;
  std::uint64_t size = 0;
  bool is_of_heap = false;
  std::shared_ptr<const sanitize::HostStack> allocated, freed;
};
struct FreedMemory {
  std::mutex mutex;
  std::deque<Freed> last;  // newest first
};
FreedMemory& freed_memory() {
  static NeverDestroyed<FreedMemory> the;
  return *the;
}

std::vector<sanitize::HostFrame> frames_of(const std::shared_ptr<const sanitize::HostStack>& stack) {
  return stack ? stack->frames() : std::vector<sanitize::HostFrame>{};
}

bool find_freed(CUdeviceptr address, Freed& out) {
  auto& all = freed_memory();
  const std::lock_guard lock(all.mutex);
  const auto at = std::ranges::find_if(all.last, [&](const Freed& f) { return address - f.address < f.size; });
  if (at == all.last.end()) return false;
  out = *at;
  return true;
}

bool is_leak(const Allocation& a) {
  const bool is_memory = a.kind == MemoryKind::device || a.kind == MemoryKind::managed;
  return is_memory && !a.is_of_driver && (!a.keeps || a.pool);
}

// Bytes of an allocation that nothing wrote. It is freed, or the program ends.
void report_unused(const Allocation& a) {
  const auto* const options = sanitize::options();
  const bool is_of_heap = (a.flags & DeviceHeap::kFlag) != 0;
  if (!options || !options->finds_unused || !a.written || a.is_of_driver || is_of_heap) return;
  note_host_writes(a);
  const auto* const end = a.written + a.size;
  const auto unused = std::count(static_cast<const std::byte*>(a.written), end, std::byte{});
  if (unused == 0) return;
  sanitize::Finding finding;
  finding.kind = sanitize::Kind::unused_memory;
  finding.size = static_cast<std::uint64_t>(unused);
  finding.address =
      a.address + static_cast<std::uint64_t>(std::find(a.written, a.written + a.size, std::byte{}) - a.written);
  finding.nearest = {Relation::inside, 0, a.address, a.size, {}, {}, {}};
  finding.host = frames_of(a.origin);
  sanitize::record(std::move(finding));
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string out{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!out.empty()) out.pop_back();
  std::ranges::replace(out, '\0', ' ');
  return out;
}

// The last look at memory: behind the functions that the program registered for its end.
__attribute__((destructor)) void at_end() {
  if (!is_on()) return;
  report_host_accesses();
  report_leaks(nullptr);
  for (const auto& a : memory::all()) report_unused(*a);
}

}  // namespace

void begin() {
  const auto* const options = sanitize::options();
  if (!options || ptx::checking.is_on()) return;
  ptx::checking = {.memory = true,
                   .initialized = options->initcheck,
                   .barriers = options->synccheck,
                   .races = options->racecheck,
                   .patience_s = static_cast<std::uint32_t>(options->patience_s),
                   .seed = options->seed,
                   .gap = kGap};
  AddressRange::red_zone = kRedZone;
  sanitize::Finding start;
  start.kind = sanitize::Kind::program_start;
  start.call = command_line();
  sanitize::record(std::move(start));
}

std::shared_ptr<const sanitize::HostStack> here() {
  return std::make_shared<sanitize::HostStack>(sanitize::HostStack::here());
}

void note_freed(const Allocation& a) {
  if (a.kind != MemoryKind::device && a.kind != MemoryKind::managed) return;
  report_unused(a);
  auto& all = freed_memory();
  const std::lock_guard lock(all.mutex);
  all.last.push_front({a.address, a.size, (a.flags & DeviceHeap::kFlag) != 0, a.origin, here()});
  if (all.last.size() > kRemembered) all.last.pop_back();
}

bool was_freed_by_kernel(CUdeviceptr address) {
  Freed freed;
  return find_freed(address, freed) && freed.is_of_heap && freed.address == address;
}

void note_call_error(CUresult error) {
  if (error == CUDA_ERROR_NOT_READY) return;
  const auto known = std::ranges::find(errors(), error, &ErrorText::error);
  const bool is_known = known != errors().end();
  sanitize::record_call_error(error, is_known ? known->name : "", is_known ? known->text : "");
}

void check_copy_to_host(const Allocation& from, std::uint64_t offset, std::uint64_t width, std::uint64_t rows,
                        std::uint64_t pitch, const std::shared_ptr<const sanitize::HostStack>& origin) {
  for (std::uint64_t row = 0; row < rows; ++row) {
    const auto start = offset + row * pitch;
    const auto* const bytes = from.written + start;
    const auto* const bad = static_cast<const std::byte*>(std::memchr(bytes, 0, width));
    if (!bad) continue;
    sanitize::Finding finding;
    finding.kind = sanitize::Kind::host_access;
    finding.size = width * rows;
    finding.address = from.address + start + static_cast<std::uint64_t>(bad - bytes);
    finding.nearest = {Relation::inside, 0, from.address + offset, from.size, {}, {}, {}};
    finding.text = "cudaMemcpy source";
    finding.host = frames_of(origin);
    sanitize::record(std::move(finding));
    return;
  }
}

void report_leaks(CUcontext context) {
  const auto* const options = sanitize::options();
  if (!options || !options->finds_leaks) return;
  for (const auto& a : memory::all()) {
    if (!is_leak(*a) || (context && a->context != context)) continue;
    sanitize::Finding finding;
    finding.kind = sanitize::Kind::leak;
    finding.address = a->address;
    finding.size = a->size;
    finding.is_of_heap = (a->flags & DeviceHeap::kFlag) != 0;
    if (!finding.is_of_heap) finding.host = frames_of(a->origin);
    sanitize::record(std::move(finding));
  }
}

sanitize::Nearest nearest_to(CUdeviceptr address) {
  sanitize::Nearest out;
  const auto take = [&](const Allocation& a, Relation relation, std::uint64_t distance) {
    const bool is_of_heap = (a.flags & DeviceHeap::kFlag) != 0;  // no call of the host made it
    out = {relation, distance, a.address, a.size, {}, is_of_heap ? frames_of(nullptr) : frames_of(a.origin), {}};
  };
  const auto [before, after] = memory::neighbours(address);
  const auto behind = before ? address - before->address : 0;
  if (before && behind < before->size) {
    take(*before, Relation::inside, 0);
    return out;
  }
  if (Freed freed; find_freed(address, freed))
    return {Relation::inside_freed, 0, freed.address, freed.size, {}, frames_of(freed.allocated),
            frames_of(freed.freed)};
  // The first byte behind an allocation is one byte after it.
  const auto past = before ? behind - before->size + 1 : ~std::uint64_t{0};
  const auto ahead = after ? after->address - address : ~std::uint64_t{0};
  if (before && past <= ahead)
    take(*before, Relation::after, past);
  else if (after)
    take(*after, Relation::before, ahead);
  return out;
}

}  // namespace nvmlkit::cuda::sanitizer
