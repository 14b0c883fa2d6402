// GPM metrics of NVLink and C2C. A link receives as much as it sends.
#include "driver/nvml/gpm/metrics.hpp"

namespace nvmlkit::driver::gpm_metrics {

using namespace abi;
using sim::gpm::Interval;

namespace {

nvmlReturn_t nvlink_bytes(const Interval& between, unsigned int link, double& value) {
  if (link >= between.last().nvlinks) return NVML_ERROR_NOT_SUPPORTED;
  value = between.nvlink_bytes(link);
  return NVML_SUCCESS;
}

nvmlReturn_t nvlink_rate(const Interval& between, unsigned int link, double& value) {
  const auto result = nvlink_bytes(between, link, value);
  value /= kBytesPerMib * between.seconds();
  return result;
}

nvmlReturn_t nvlink_total_rate(const Interval& between, double& value) {
  if (between.last().nvlinks == 0) return NVML_ERROR_NOT_SUPPORTED;
  value = between.nvlink_bytes() / kBytesPerMib / between.seconds();
  return NVML_SUCCESS;
}

// No workload of the simulation reads or writes the CPU's memory over C2C.
nvmlReturn_t c2c_rate(const Interval& between, unsigned int link, double& value) {
  if (link >= between.last().c2c_links) return NVML_ERROR_NOT_SUPPORTED;
  value = 0;
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t nvlink_rx(const Interval& between, unsigned int link, double& value) {
  return nvlink_bytes(between, link, value);
}
nvmlReturn_t nvlink_tx(const Interval& between, unsigned int link, double& value) {
  return nvlink_bytes(between, link, value);
}
nvmlReturn_t nvlink_rx_rate(const Interval& between, unsigned int link, double& value) {
  return nvlink_rate(between, link, value);
}
nvmlReturn_t nvlink_tx_rate(const Interval& between, unsigned int link, double& value) {
  return nvlink_rate(between, link, value);
}
nvmlReturn_t nvlink_total_rx_rate(const Interval& between, unsigned int, double& value) {
  return nvlink_total_rate(between, value);
}
nvmlReturn_t nvlink_total_tx_rate(const Interval& between, unsigned int, double& value) {
  return nvlink_total_rate(between, value);
}
nvmlReturn_t c2c_rx_rate(const Interval& between, unsigned int link, double& value) {
  return c2c_rate(between, link, value);
}
nvmlReturn_t c2c_tx_rate(const Interval& between, unsigned int link, double& value) {
  return c2c_rate(between, link, value);
}
nvmlReturn_t c2c_total_rx_rate(const Interval& between, unsigned int, double& value) {
  return c2c_rate(between, 0, value);
}
nvmlReturn_t c2c_total_tx_rate(const Interval& between, unsigned int, double& value) {
  return c2c_rate(between, 0, value);
}

}  // namespace nvmlkit::driver::gpm_metrics
