// GPM metrics of NVLink and C2C.
#include "driver/nvml/gpm_metrics.hpp"

namespace nvmlkit::driver::gpm_metrics {

using namespace abi;
using sim::gpm::Interval;

#define REFUSED(name) \
  nvmlReturn_t name(const Interval&, unsigned int, double&) { return NVML_ERROR_NOT_SUPPORTED; }
REFUSED(nvlink_total_rx_rate)
REFUSED(nvlink_total_tx_rate)
REFUSED(nvlink_rx_rate)
REFUSED(nvlink_tx_rate)
REFUSED(nvlink_rx)
REFUSED(nvlink_tx)
REFUSED(c2c_total_rx_rate)
REFUSED(c2c_total_tx_rate)
REFUSED(c2c_rx_rate)
REFUSED(c2c_tx_rate)
#undef REFUSED

}  // namespace nvmlkit::driver::gpm_metrics
