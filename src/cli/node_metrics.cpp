#include "cli/node_metrics.hpp"

#include <utility>

#include "cli/command_error.hpp"
#include "metrics/machine_metrics.hpp"
#include "metrics/scenario_metrics.hpp"

namespace nvmlkit::cli {

NodeMetrics::NodeMetrics(const std::string& endpoint) {
  const auto parsed = metrics::parse_endpoint(endpoint);
  if (!parsed) throw CommandError(of_argument("--metrics", parsed.error()));
  auto server = metrics::Server::start(*parsed, [this] { return text(); });
  if (!server) throw CommandError(of_argument("--metrics", std::move(server.error())));
  server_ = std::move(*server);
}

void NodeMetrics::follow(const sim::Machine* machine) {
  const std::lock_guard lock(mutex_);
  machine_ = machine;
  xids_ = {};
  scenarios_.clear();
}

void NodeMetrics::update(std::vector<scenario::ShelfStatus> scenarios) {
  const std::lock_guard lock(mutex_);
  if (machine_ != nullptr) xids_.take(*machine_);
  scenarios_ = std::move(scenarios);
}

std::string NodeMetrics::text() {
  const std::lock_guard lock(mutex_);
  if (machine_ == nullptr) return {};
  xids_.take(*machine_);
  metrics::Exposition out;
  if (!metrics::add_machine(out, *machine_, xids_)) return {};
  metrics::add_scenarios(out, scenarios_);
  return out.text();
}

}  // namespace nvmlkit::cli
