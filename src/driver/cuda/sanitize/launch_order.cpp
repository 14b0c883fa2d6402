// Findings about the order of threads: barriers, deadlocks, races.
#include "driver/cuda/sanitize/launch_checks.hpp"
#include "driver/cuda/sanitize/sanitizer.hpp"
#include "driver/cuda/sanitize/source_lines.hpp"

namespace nvmlkit::cuda::sanitizer {
namespace {

// An instruction of the hardware has so many bytes.
constexpr std::uint64_t kInstructionBytes = 16;
// Of a deadlock: groups of threads that are named.
constexpr std::size_t kMostWaiters = 32;

const char* name_of(ptx::BadBarrier::Kind kind) {
  return kind == ptx::BadBarrier::Kind::divergent_warp    ? "Divergent thread(s) in warp"
         : kind == ptx::BadBarrier::Kind::divergent_block ? "Divergent thread(s) in block"
                                                          : "Invalid arguments";
}

std::string triple(const std::uint32_t (&at)[3]) {
  return '(' + std::to_string(at[0]) + ',' + std::to_string(at[1]) + ',' + std::to_string(at[2]) + ')';
}

}  // namespace

std::vector<sanitize::DevicePlace> places_of(const Launch& launch, const std::vector<ptx::Place>& places) {
  std::vector<sanitize::DevicePlace> out;
  for (const auto& place : places)
    for (auto& line : source_lines(*launch.function->module->code, *place.function, place.line)) {
      line.offset = kInstructionBytes * place.instruction;
      out.push_back(std::move(line));
    }
  return out;
}

sanitize::Finding LaunchChecks::new_finding(sanitize::Kind kind) const {
  sanitize::Finding out;
  out.kind = kind;
  out.kernel = launch_.function->code->name;
  if (launch_.origin) out.host = launch_.origin->frames();
  return out;
}

void LaunchChecks::found(const ptx::BadBarrier& bad) {
  if (!sanitize::options()->synccheck) return;
  const std::lock_guard lock(mutex_);
  const auto& place = bad.places[0];
  const auto [at, is_new] = barriers_.try_emplace({place.function, place.instruction, name_of(bad.kind)});
  if (!is_new) {
    ++at->second.count;
    return;
  }
  auto& out = at->second = new_finding(sanitize::Kind::barrier);
  out.call = name_of(bad.kind);
  out.text = bad.text;
  out.places = places_of(launch_, bad.places);
  std::copy_n(bad.thread, 3, out.thread);
  std::copy_n(bad.block, 3, out.block);
}

void LaunchChecks::found(const std::vector<ptx::Waiters>& waiters) {
  auto finding = new_finding(sanitize::Kind::deadlock);
  for (const auto& w : waiters) {
    if (finding.sides.size() == kMostWaiters) break;
    auto& side = finding.sides.emplace_back();
    const bool is_one = w.count == 1;
    side.text = std::to_string(w.count) + (is_one ? " thread, " : " threads, ") + w.threads + " in block " +
                triple(w.block) + ", " + w.text;
    std::copy_n(w.block, 3, side.block);
    side.places = places_of(launch_, w.places);
  }
  const std::lock_guard lock(mutex_);
  if (has_deadlock_) return;
  has_deadlock_ = true;
  sanitize::record(std::move(finding));
}

namespace {

sanitize::Side side_of(const ptx::Race::Side& side, const Other& own) {
  const auto& of = side.launch ? *static_cast<const Other*>(side.launch.get()) : own;
  sanitize::Side out;
  out.touch = touch_of(side.touch);
  out.text = of.text;
  if (of.host) out.host = of.host->frames();
  if (!of.launch) return out;
  out.kernel = of.launch->function->code->name;
  if (side.launch && of.launch->origin) out.host = of.launch->origin->frames();
  std::copy_n(side.thread, 3, out.thread);
  std::copy_n(side.block, 3, out.block);
  out.places = places_of(*of.launch, side.places);
  return out;
}

}  // namespace

sanitize::Finding race_finding(const ptx::Race& race, const Other& own) {
  sanitize::Finding out;
  out.kind = sanitize::Kind::race;
  if (own.launch) {
    out.kernel = own.launch->function->code->name;
    if (own.launch->origin) out.host = own.launch->origin->frames();
  }
  out.severity = static_cast<sanitize::Severity>(race.severity);
  out.place = race.space == ptx::Space::shared ? sanitize::Place::shared : sanitize::Place::global;
  out.address = race.address;
  out.size = race.size;
  out.count = race.count;
  out.text = race.reason;
  if (race.variable) out.nearest.variable = race.variable->name;
  out.sides = {side_of(race.first, own), side_of(race.second, own)};
  return out;
}

void LaunchChecks::found(const ptx::Race& race) {
  sanitize::record(race_finding(race, *static_cast<const Other*>(about.get())));
}

}  // namespace nvmlkit::cuda::sanitizer
