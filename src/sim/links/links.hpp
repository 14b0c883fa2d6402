// The working NVLinks of a GPU, and their counters.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/generated/model.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::sim {
class Machine;
}  // namespace nvmlkit::sim

namespace nvmlkit::sim::links {

inline std::uint32_t count(const model::Gpu& gpu) { return gpu.links.count < kMaxLinks ? gpu.links.count : kMaxLinks; }

// A bit for each link that carries traffic.
std::uint64_t active(const model::Gpu& gpu);
inline bool is_active(const model::Gpu& gpu, std::uint32_t link) { return (active(gpu) >> link & 1) != 0; }

// A bit for each link that counts errors.
std::uint64_t erring(const model::Gpu& gpu);

struct Counts {
  double sent, received;
  double bytes;  // the mean of both directions
  std::uint64_t errors[error_kinds];
};
Counts counts(const model::Gpu& gpu, const telemetry::Reading& now, std::uint32_t link);

// Bytes that a program moved between the GPU and another one of the machine, spread over the active links between them;
// on the copy that an Edit holds. False: no link leads there.
bool move(const Machine& machine, model::Gpu& gpu, std::size_t peer, double sent, double received);

// Sets the errors of a link to zero, on the copy that an Edit holds.
void clear_errors(const Machine& machine, model::Gpu& gpu, std::uint32_t link);

// How many active links lead from one GPU to the other, if they meet in NVSwitches or directly.
std::uint32_t between(const model::Gpu& from, const model::Gpu& to, std::size_t to_index);

// How many active links lead to NVSwitches.
std::uint32_t to_switches(const model::Gpu& gpu);

// After a change of GPU `index`: the links of `peer`, whose other ends are as usable as those of that GPU. Nothing
// where they stay as they are.
std::optional<State> settled_peer(const Machine& machine, const model::Gpu& peer, std::size_t index);

// A GPU is about to become `after`: counters go on from where they are if anything that they depend on changes.
void settle(const Machine& machine, const model::Gpu& before, model::Gpu& after);

}  // namespace nvmlkit::sim::links
