#include "driver/nvml/gpm/metrics.hpp"

#include <algorithm>

namespace nvmlkit::driver {

const GpmMetric* find_gpm_metric(unsigned int id) {
  const auto all = all_gpm_metrics();
  const auto found = std::lower_bound(all.begin(), all.end(), id,
                                      [](const GpmMetric& metric, unsigned int wanted) { return metric.id < wanted; });
  return found != all.end() && found->id == id ? &*found : nullptr;
}

namespace gpm_metrics {
namespace {

using namespace abi;
using sim::gpm::Interval;
using sim::telemetry::Engine;
using sim::telemetry::Pipe;

nvmlReturn_t give(double& value, double what) {
  value = what;
  return NVML_SUCCESS;
}

double any_tensor_part(const Interval& between) {
  return std::min(between.part(Pipe::hmma) + between.part(Pipe::imma) + between.part(Pipe::dfma), 100.0);
}

// Cycles of all multiprocessors together.
double sm_cycles_of(const Interval& between) { return between.megacycles() * 1e6 * between.last().sm_count; }

double cycles(const Interval& between, double part) { return sm_cycles_of(between) * part / 100; }

nvmlReturn_t engine(const Interval& between, std::uint32_t which, unsigned int index, std::uint32_t count,
                    double& value) {
  return index < count ? give(value, between.load(which)) : NVML_ERROR_NOT_SUPPORTED;
}

}  // namespace

nvmlReturn_t graphics(const Interval& between, unsigned int, double& value) {
  return give(value, between.load(Engine::gpu));
}
nvmlReturn_t sm(const Interval& between, unsigned int, double& value) { return give(value, between.part(Pipe::sm)); }
nvmlReturn_t occupancy(const Interval& between, unsigned int, double& value) {
  return give(value, between.part(Pipe::occupancy));
}
nvmlReturn_t integer(const Interval& between, unsigned int, double& value) {
  return give(value, between.part(Pipe::integer));
}
nvmlReturn_t any_tensor(const Interval& between, unsigned int, double& value) {
  return give(value, any_tensor_part(between));
}
nvmlReturn_t dfma(const Interval& between, unsigned int, double& value) {
  return give(value, between.part(Pipe::dfma));
}
nvmlReturn_t hmma(const Interval& between, unsigned int, double& value) {
  return give(value, between.part(Pipe::hmma));
}
nvmlReturn_t imma(const Interval& between, unsigned int, double& value) {
  return give(value, between.part(Pipe::imma));
}
nvmlReturn_t fp64(const Interval& between, unsigned int, double& value) {
  return give(value, between.part(Pipe::fp64));
}
nvmlReturn_t fp32(const Interval& between, unsigned int, double& value) {
  return give(value, between.part(Pipe::fp32));
}
nvmlReturn_t fp16(const Interval& between, unsigned int, double& value) {
  return give(value, between.part(Pipe::fp16));
}
nvmlReturn_t dram(const Interval& between, unsigned int, double& value) {
  return give(value, between.load(Engine::memory));
}

nvmlReturn_t decoder(const Interval& between, unsigned int index, double& value) {
  return engine(between, Engine::decoder, index, between.last().engines.decoders, value);
}
nvmlReturn_t encoder(const Interval& between, unsigned int index, double& value) {
  return engine(between, Engine::encoder, index, between.last().engines.encoders, value);
}
nvmlReturn_t jpeg(const Interval& between, unsigned int index, double& value) {
  return engine(between, Engine::jpeg, index, between.last().engines.jpeg, value);
}
nvmlReturn_t ofa(const Interval& between, unsigned int index, double& value) {
  return engine(between, Engine::ofa, index, between.last().engines.ofa, value);
}

nvmlReturn_t pcie_tx(const Interval& between, unsigned int, double& value) { return give(value, between.tx_bytes()); }
nvmlReturn_t pcie_rx(const Interval& between, unsigned int, double& value) { return give(value, between.rx_bytes()); }
nvmlReturn_t pcie_tx_rate(const Interval& between, unsigned int, double& value) {
  return give(value, between.tx_bytes() / kBytesPerMib / between.seconds());
}
nvmlReturn_t pcie_rx_rate(const Interval& between, unsigned int, double& value) {
  return give(value, between.rx_bytes() / kBytesPerMib / between.seconds());
}

nvmlReturn_t sm_cycles(const Interval& between, unsigned int, double& value) {
  return give(value, sm_cycles_of(between));
}
nvmlReturn_t sm_cycles_active(const Interval& between, unsigned int, double& value) {
  return give(value, cycles(between, between.part(Pipe::sm)));
}
nvmlReturn_t any_tensor_cycles(const Interval& between, unsigned int, double& value) {
  return give(value, cycles(between, any_tensor_part(between)));
}
nvmlReturn_t dfma_cycles(const Interval& between, unsigned int, double& value) {
  return give(value, cycles(between, between.part(Pipe::dfma)));
}
nvmlReturn_t hmma_cycles(const Interval& between, unsigned int, double& value) {
  return give(value, cycles(between, between.part(Pipe::hmma)));
}
nvmlReturn_t imma_cycles(const Interval& between, unsigned int, double& value) {
  return give(value, cycles(between, between.part(Pipe::imma)));
}
nvmlReturn_t integer_cycles(const Interval& between, unsigned int, double& value) {
  return give(value, cycles(between, between.part(Pipe::integer)));
}
nvmlReturn_t fp64_cycles(const Interval& between, unsigned int, double& value) {
  return give(value, cycles(between, between.part(Pipe::fp64)));
}
nvmlReturn_t fp32_cycles(const Interval& between, unsigned int, double& value) {
  return give(value, cycles(between, between.part(Pipe::fp32)));
}
nvmlReturn_t fp16_cycles(const Interval& between, unsigned int, double& value) {
  return give(value, cycles(between, between.part(Pipe::fp16)));
}

// One graphics engine; a simulated one runs its clients without switching between them.
nvmlReturn_t context_cycles(const Interval& between, unsigned int index, double& value) {
  return index == 0 ? give(value, between.megacycles() * 1e6) : NVML_ERROR_NOT_SUPPORTED;
}
nvmlReturn_t context_switches(const Interval&, unsigned int index, double& value) {
  return index == 0 ? give(value, 0) : NVML_ERROR_NOT_SUPPORTED;
}

}  // namespace gpm_metrics
}  // namespace nvmlkit::driver
