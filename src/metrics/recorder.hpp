// Keeps what dcgm-exporter would have shown of a machine at several times, as text of OpenMetrics.
#pragma once

#include <string>
#include <vector>

#include "sim/state/machine.hpp"

namespace nvmlkit::metrics {

class Recorder {
 public:
  explicit Recorder(std::string host) : host_(std::move(host)) {}

  // Notes the values of this instant. False where a writer of the machine is stopped.
  bool scrape(const sim::Machine& machine);

  // All values, those of one name together, as `promtool tsdb create-blocks-from openmetrics` takes them.
  std::string text() const;

 private:
  std::string host_;
  std::vector<std::string> families_;
};

}  // namespace nvmlkit::metrics
