#include "sim/gpm/sample.hpp"

#include <algorithm>

#include "sim/links/links.hpp"
#include "sim/mig/instances.hpp"
#include "sim/mig/profiles.hpp"
#include "sim/telemetry/inputs.hpp"
#include "sim/telemetry/reading.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::sim::gpm {
namespace {

using model::Gpu;
using telemetry::Engine;

constexpr double kMib = 1024.0 * 1024.0;

// The profile of a GPU instance that is all of the GPU contains the GPU's number of engines.
const model::MigProfile* whole_profile(const Gpu& gpu) {
  const model::MigProfile* out = nullptr;
  for (const auto& profile : gpu.mig.profiles)
    if (out == nullptr || profile.sm.value_or(0) > out->sm.value_or(0)) out = &profile;
  return out;
}

Engines engines_of(const model::MigProfile* profile) {
  if (profile == nullptr) return {1, 1, 1, 1};
  return {profile->dec.value_or(0), profile->enc.value_or(0), profile->jpeg.value_or(0), profile->ofa.value_or(0)};
}

}  // namespace

bool supported(const Gpu& gpu) { return gpu.gpm.supported.value_or(has(gpu, Trait::gpm)); }

std::optional<Sample> take(const Machine& machine, const Gpu& gpu, std::uint32_t instance) {
  Sample out{};
  const model::MigProfile* profile = whole_profile(gpu);
  double share = 1;  // of the GPU's traffic
  if (instance != kWholeGpu) {
    const auto* found = mig::enabled(gpu) ? mig::find_instance(gpu, instance) : nullptr;
    profile = found != nullptr ? mig::profile_of(gpu, *found) : nullptr;
    if (profile == nullptr) return {};
    share = static_cast<double>(profile->size.value_or(1)) / std::max(mig::memory_slices(gpu), 1U);
  }
  const telemetry::Reading now(machine, gpu);
  out.gpu = machine.index_of(gpu);
  out.instance = instance;
  out.at_ns = now.at_ns();
  out.work = now.done();
  out.tx_bytes = share * static_cast<double>(now(gpu.pcie.tx_bytes).value_or(0));
  out.rx_bytes = share * static_cast<double>(now(gpu.pcie.rx_bytes).value_or(0));
  if (gpu.gpm.pcie_tx_mib_per_sec) out.tx_mib_per_s = share * static_cast<double>(*gpu.gpm.pcie_tx_mib_per_sec);
  if (gpu.gpm.pcie_rx_mib_per_sec) out.rx_mib_per_s = share * static_cast<double>(*gpu.gpm.pcie_rx_mib_per_sec);
  if (instance == kWholeGpu) {
    out.nvlinks = links::count(gpu);
    for (std::uint32_t link = 0; link < out.nvlinks; ++link)
      out.nvlink_bytes[link] = links::counts(gpu, now, link).bytes;
    if (gpu.c2c.mode && *gpu.c2c.mode == model::EnableState::enabled) out.c2c_links = gpu.c2c.links.value_or(0);
  }
  const auto load = [&](std::uint32_t engine, const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    const bool held = telemetry::is_pinned(gpu.motion, Field::kId);
    if (held) out.pinned |= 1U << engine;
    out.rest[engine] = held || now.busy() ? field.value : now(field).value_or(0);
  };
  const auto& u = gpu.utilization;
  load(Engine::gpu, u.gpu);
  load(Engine::memory, u.memory);
  load(Engine::encoder, u.encoder);
  load(Engine::decoder, u.decoder);
  load(Engine::jpeg, u.jpeg);
  load(Engine::ofa, u.ofa);
  out.sm_count = profile != nullptr ? profile->sm.value_or(1) : 1;
  out.engines = engines_of(profile);
  out.mix = telemetry::mix_at_rest(gpu);
  return out;
}

Interval::Interval(const Sample& first, const Sample& last)
    : first_(first), last_(last), seconds_(static_cast<double>(elapsed_ns(first.at_ns, last.at_ns)) * 1e-9) {}

// Seconds without a workload.
double Interval::rested() const { return seconds_ - std::clamp(last_.work.busy_s - first_.work.busy_s, 0.0, seconds_); }

double Interval::load(std::uint32_t engine) const {
  if ((last_.pinned >> engine & 1U) != 0) return std::clamp(last_.rest[engine], 0.0, 100.0);
  const double worked = std::max(last_.work.load_s[engine] - first_.work.load_s[engine], 0.0);
  const double calm = rested() * (first_.rest[engine] + last_.rest[engine]) / 2;
  return std::clamp((worked + calm) / seconds_, 0.0, 100.0);
}

double Interval::part(std::uint32_t pipe) const {
  if ((last_.pinned >> Engine::gpu & 1U) != 0) return load(Engine::gpu) * last_.mix[pipe] / 100;
  const double worked = std::max(last_.work.mix_s[pipe] - first_.work.mix_s[pipe], 0.0);
  const double calm = rested() * (first_.rest[Engine::gpu] + last_.rest[Engine::gpu]) / 2;
  return std::clamp((worked + calm * last_.mix[pipe] / 100) / seconds_, 0.0, 100.0);
}

double Interval::megacycles() const { return std::max(last_.work.megacycles - first_.work.megacycles, 0.0); }

double Interval::tx_bytes() const {
  return last_.tx_mib_per_s ? *last_.tx_mib_per_s * kMib * seconds_ : std::max(last_.tx_bytes - first_.tx_bytes, 0.0);
}

double Interval::rx_bytes() const {
  return last_.rx_mib_per_s ? *last_.rx_mib_per_s * kMib * seconds_ : std::max(last_.rx_bytes - first_.rx_bytes, 0.0);
}

double Interval::nvlink_bytes(std::uint32_t link) const {
  return std::max(last_.nvlink_bytes[link] - first_.nvlink_bytes[link], 0.0);
}

double Interval::nvlink_bytes() const {
  double sum = 0;
  for (std::uint32_t link = 0; link < last_.nvlinks; ++link) sum += nvlink_bytes(link);
  return sum;
}

}  // namespace nvmlkit::sim::gpm
