#include "sim/processes/utilization.hpp"

#include <algorithm>

#include "sim/processes/clients.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::sim::processes {
namespace {

void take(std::uint32_t& from, std::uint32_t percent) { from -= std::min(from, percent); }

}  // namespace

Utilization utilization_of(const model::Process& process) {
  return {process.sm_util.value_or(0), process.mem_util.value_or(0), process.enc_util.value_or(0),
          process.dec_util.value_or(0)};
}

Shared shared_utilization(const Machine& machine, const model::Gpu& gpu, std::size_t index) {
  const auto& whole = gpu.utilization;
  const telemetry::Reading now(machine, gpu);
  Shared out{{now(whole.gpu).value_or(0), now(whole.memory).value_or(0), now(whole.encoder).value_or(0),
              now(whole.decoder).value_or(0), now(whole.jpeg).value_or(0), now(whole.ofa).value_or(0)}};
  for (const auto& process : gpu.processes) {
    const auto own = utilization_of(process);
    take(out.percent.gpu, own.gpu);
    take(out.percent.memory, own.memory);
    take(out.percent.encoder, own.encoder);
    take(out.percent.decoder, own.decoder);
  }
  for_each_client(machine, index, [&](const Client& client, Life) { out.weight += client.share; });
  return out;
}

Utilization Shared::of(const Client& client) const {
  // A client that has just ended may be no part of the sum any more.
  const std::uint64_t sum = std::max<std::uint64_t>({weight, client.share, 1});
  const auto part = [&](std::uint32_t whole) {
    return static_cast<std::uint32_t>(std::uint64_t{whole} * client.share / sum);
  };
  return {part(percent.gpu),     part(percent.memory), part(percent.encoder),
          part(percent.decoder), part(percent.jpeg),   part(percent.ofa)};
}

}  // namespace nvmlkit::sim::processes
