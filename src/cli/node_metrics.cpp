#include "cli/node_metrics.hpp"

#include <utility>

#include "cli/command_error.hpp"
#include "metrics/dcgm_values.hpp"
#include "metrics/machine_metrics.hpp"
#include "metrics/scenario_metrics.hpp"

namespace nvmlkit::cli {

NodeMetrics::NodeMetrics(const std::string& endpoint, const std::string& names, std::string host)
    : own_names_(names != "dcgm"), dcgm_names_(names != "nvmlkit"), host_(std::move(host)) {
  const auto parsed = metrics::parse_endpoint(endpoint);
  if (!parsed) throw CommandError(of_argument("--metrics", parsed.error()));
  auto server = metrics::Server::start(*parsed, [this] { return text(); });
  if (!server) throw CommandError(of_argument("--metrics", std::move(server.error())));
  server_ = std::move(*server);
}

void NodeMetrics::follow(const sim::Machine* machine) {
  const std::lock_guard lock(mutex_);
  machine_ = machine;
  events_ = {};
  scenarios_.clear();
}

void NodeMetrics::update(std::vector<scenario::ShelfStatus> scenarios) {
  const std::lock_guard lock(mutex_);
  if (machine_ != nullptr) events_.take(*machine_);
  scenarios_ = std::move(scenarios);
}

std::string NodeMetrics::text() {
  const std::lock_guard lock(mutex_);
  if (machine_ == nullptr) return {};
  events_.take(*machine_);
  metrics::Exposition out;
  if (own_names_) {
    if (!metrics::add_machine(out, *machine_, events_)) return {};
    metrics::add_scenarios(out, scenarios_);
  }
  if (dcgm_names_ && !metrics::add_dcgm(out, *machine_, host_)) return {};
  return out.text();
}

}  // namespace nvmlkit::cli
