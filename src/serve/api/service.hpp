// What the server answers and streams about its machine. All calls come from one thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/event_counter.hpp"
#include "serve/api/error.hpp"
#include "serve/api/routes.hpp"
#include "serve/comparison/comparison.hpp"
#include "serve/http/message.hpp"
#include "serve/machine/events.hpp"
#include "serve/machine/log.hpp"
#include "serve/machine/sampler.hpp"
#include "serve/scenarios/runner.hpp"
#include "serve/security/guard.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::serve::api {

// What clients may compare the machine with, by name.
using Recordings = std::vector<std::shared_ptr<const Curves>>;

// How /metrics answers.
struct MetricsSettings {
  bool is_open = false;  // without the token
  bool own_names = true, dcgm_names = true;
  std::string host;  // a label of dcgm-exporter
};

class Service {
 public:
  using Broadcast = std::function<void(std::string_view)>;

  // The machine outlives the service.
  Service(const sim::Machine& machine, GuardSettings guard, MetricsSettings metrics, Recordings recordings);

  http::Response answer(const http::Request& request);

  // To be called at each interval, and after a change of the machine or at the time of next().
  void tick(const Broadcast& broadcast, bool anybody);
  void changed(const Broadcast& broadcast, bool anybody);
  // When the scenario has something to do.
  std::optional<std::chrono::milliseconds> next() const { return runner_.next(); }

 private:
  http::Response route(const Found& found, const http::Request& request);
  http::Response page(const http::Request& request) const;
  http::Response metrics();
  http::Response history(const http::Request& request) const;
  http::Response fields(std::string_view gpu, const http::Request& request) const;
  http::Response stream();
  http::Response command(const http::Request& request);
  http::Response check(const http::Request& request) const;
  http::Response start_run(const http::Request& request);
  http::Response stop_run(const http::Request& request);
  http::Response recordings() const;
  Json comparison_status() const;
  http::Response start_comparison(const http::Request& request);
  http::Response stop_comparison();
  sim::Expected<std::shared_ptr<const Curves>> curves_of(const Json& body) const;
  sim::Expected<scenario::Plan> plan_of(const Json& body) const;

  const sim::Machine& machine_;
  Guard guard_;
  const MetricsSettings metrics_settings_;
  Sampler sampler_;
  History history_;
  std::string live_;  // the newest sample
  Log log_;
  Events events_;
  metrics::EventCounter counter_;
  Runner runner_;
  Recordings recordings_;
  std::optional<Comparison> comparison_;
  std::string state_, run_, compared_;  // as they were broadcast last
};

}  // namespace nvmlkit::serve::api
