// The values of GPUs under the names of dcgm-exporter, in its units.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "metrics/exposition.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::metrics {

struct DcgmValue {
  std::string_view name, type, help;
  // Of a GPU of `copy`, which is `machine` at one instant; nothing: the GPU has no such value.
  std::optional<double> (*read)(const sim::Machine& machine, const sim::Machine& copy, std::size_t gpu);
};

std::span<const DcgmValue> dcgm_values();

// The labels of dcgm-exporter: gpu, UUID, pci_bus_id, device, modelName, Hostname, DCGM_FI_DRIVER_VERSION.
struct DcgmLabels {
  std::string gpu, uuid, bus_id, device, model, host, driver;

  std::array<std::pair<std::string_view, std::string_view>, 7> pairs() const;
};

// Calls `visit(value, labels, number)` for each value of each GPU that answers; of another one, only for its last Xid,
// which DCGM learns from an event. False where a writer of the machine is
// stopped.
bool each_dcgm_value(const sim::Machine& machine, std::string_view host,
                     const std::function<void(const DcgmValue&, const DcgmLabels&, double)>& visit);

// False where a writer of the machine is stopped.
bool add_dcgm(Exposition& out, const sim::Machine& machine, std::string_view host);

}  // namespace nvmlkit::metrics
