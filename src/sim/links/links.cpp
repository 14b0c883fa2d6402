#include "sim/links/links.hpp"

#include <algorithm>
#include <utility>

#include "sim/state/machine.hpp"

namespace nvmlkit::sim::links {
namespace {

constexpr double kDefaultErrorRate = 1;  // per second, of a link that a fault makes err

std::uint64_t all(const model::Gpu& gpu) {
  const auto n = count(gpu);
  return n == 0 ? 0 : ~std::uint64_t{0} >> (64 - n);
}

double seconds(std::int64_t from_ns, std::int64_t to_ns) {
  return to_ns > from_ns ? static_cast<double>(elapsed_ns(from_ns, to_ns)) * 1e-9 : 0;
}

// What one link counted until now.
Counters reached(const model::Gpu& gpu, const telemetry::Reading& now, std::uint32_t link) {
  const auto& state = gpu.links;
  Counters out = state.counters[link];
  if (is_active(gpu, link)) {
    const double work = std::max(now.work() - state.counted_work, 0.0);
    out.bytes += work * state.traffic * state.mbps * 1e6;
  }
  if ((erring(gpu) >> link & 1) == 0) return out;
  const double rate = state.error_rate > 0 ? state.error_rate : kDefaultErrorRate;
  const double more = rate * seconds(state.counted_at_ns, now.at_ns());
  // A flit that arrives damaged is sent again.
  out.errors[crc_flit] += more;
  out.errors[replay] += more;
  return out;
}

// Writes the counters of this instant into `state`. Until now the links worked by the data in `gpu`.
void count_until_now(const Machine& machine, const model::Gpu& gpu, State& state) {
  const telemetry::Reading now(machine, gpu);
  for (std::uint32_t link = 0; link < count(gpu); ++link) {
    const auto was = gpu.links.counters[link];
    const auto is = reached(gpu, now, link);
    auto& counters = state.counters[link];
    counters.bytes += is.bytes - was.bytes;
    for (std::uint32_t i = 0; i < error_kinds; ++i) counters.errors[i] += is.errors[i] - was.errors[i];
  }
  state.counted_at_ns = now.at_ns();
  state.counted_work = now.work();
}

// A link that goes down has tried to recover.
void count_recoveries(State& state, std::uint64_t down) {
  for (std::uint32_t link = 0; link < kMaxLinks; ++link)
    if ((down >> link & 1) != 0) state.counters[link].errors[recovery] += 1;
}

// The GPU's own data, regardless of the other ends.
std::uint64_t usable(const model::Gpu& gpu) {
  if (gpu.faults.availability != faults::Availability::available) return 0;
  return all(gpu) & ~(gpu.links.configured_down | gpu.faults.nvlinks_down);
}

constexpr double kMost = 4e17;  // 36 links together fit into 64 bits, with what protocols add

std::uint64_t whole(double value) { return value > 0 ? static_cast<std::uint64_t>(std::min(value, kMost)) : 0; }

}  // namespace

std::uint64_t active(const model::Gpu& gpu) { return usable(gpu) & ~gpu.links.remote_down; }

std::uint64_t erring(const model::Gpu& gpu) { return active(gpu) & (gpu.faults.nvlinks_erring | gpu.links.erring); }

Counts counts(const model::Gpu& gpu, const telemetry::Reading& now, std::uint32_t link) {
  const auto at = reached(gpu, now, link);
  Counts out{};
  const auto within = [](double bytes) { return bytes > 0 ? std::min(bytes, kMost) : 0; };
  out.sent = within(at.bytes + at.sent);
  out.received = within(at.bytes + at.received);
  out.bytes = (out.sent + out.received) / 2;
  for (std::uint32_t i = 0; i < error_kinds; ++i) out.errors[i] = whole(at.errors[i]);
  return out;
}

bool move(const Machine& machine, model::Gpu& gpu, std::size_t peer, double sent, double received) {
  const auto leads_there = [&](std::uint32_t link, bool direct) {
    const auto& end = gpu.links.links[link];
    if (!is_active(gpu, link)) return false;
    return direct ? end.remote == Remote::gpu && end.remote_gpu == peer : end.remote == Remote::nvswitch;
  };
  for (const bool direct : {true, false}) {
    if (!direct && (peer >= machine.gpus().size() || to_switches(machine.gpus()[peer]) == 0)) return false;
    std::uint32_t links = 0;
    for (std::uint32_t link = 0; link < count(gpu); ++link) links += leads_there(link, direct) ? 1 : 0;
    if (links == 0) continue;
    for (std::uint32_t link = 0; link < count(gpu); ++link) {
      if (!leads_there(link, direct)) continue;
      gpu.links.counters[link].sent += sent / links;
      gpu.links.counters[link].received += received / links;
    }
    return true;
  }
  return false;
}

void clear_errors(const Machine& machine, model::Gpu& gpu, std::uint32_t link) {
  count_until_now(machine, gpu, gpu.links);
  for (auto& errors : gpu.links.counters[link].errors) errors = 0;
}

std::uint32_t to_switches(const model::Gpu& gpu) {
  std::uint32_t found = 0;
  for (std::uint32_t link = 0; link < count(gpu); ++link)
    found += gpu.links.links[link].remote == Remote::nvswitch && is_active(gpu, link) ? 1 : 0;
  return found;
}

std::uint32_t between(const model::Gpu& from, const model::Gpu& to, std::size_t to_index) {
  std::uint32_t direct = 0;
  for (std::uint32_t link = 0; link < count(from); ++link) {
    const auto& end = from.links.links[link];
    direct += end.remote == Remote::gpu && end.remote_gpu == to_index && is_active(from, link) ? 1 : 0;
  }
  return direct > 0 ? direct : std::min(to_switches(from), to_switches(to));
}

void settle(const Machine& machine, const model::Gpu& before, model::Gpu& after) {
  if (count(before) == 0) return;
  const bool anew = std::exchange(after.links.begin_anew, 0) != 0;
  if (!anew && active(before) == active(after) && erring(before) == erring(after)) return;
  count_until_now(machine, before, after.links);
  if (anew)
    for (auto& counters : after.links.counters) counters = {};
  else
    count_recoveries(after.links, active(before) & ~active(after));
}

std::optional<State> settled_peer(const Machine& machine, const model::Gpu& peer, std::size_t index) {
  const auto& gpu = machine.gpus()[index];
  auto down = peer.links.remote_down;
  for (std::uint32_t link = 0; link < count(peer); ++link) {
    const auto& end = peer.links.links[link];
    if (end.remote != Remote::gpu || end.remote_gpu != index || end.remote_link >= count(gpu)) continue;
    const auto bit = std::uint64_t{1} << link;
    down = (usable(gpu) >> end.remote_link & 1) != 0 ? down & ~bit : down | bit;
  }
  if (down == peer.links.remote_down) return std::nullopt;
  State changed = peer.links;
  count_until_now(machine, peer, changed);
  count_recoveries(changed, usable(peer) & down & ~peer.links.remote_down);
  changed.remote_down = down;
  return changed;
}

}  // namespace nvmlkit::sim::links
