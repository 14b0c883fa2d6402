#include "serve/api/service.hpp"

#include <algorithm>
#include <utility>

#include "metrics/dcgm_values.hpp"
#include "metrics/machine_metrics.hpp"
#include "serve/api/documents.hpp"
#include "serve/machine/condition.hpp"
#include "serve/machine/facts.hpp"
#include "serve/page.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::serve::api {
namespace {

// Of a document that is null while a writer of the machine is stopped.
http::Response json_or_busy(const Json& body) {
  return body.is_null() ? error_response(503, "a writer of the machine is stopped") : json_response(body);
}

}  // namespace

Service::Service(const sim::Machine& machine, GuardSettings guard, MetricsSettings metrics, Recordings recordings)
    : machine_(machine),
      guard_(std::move(guard)),
      metrics_settings_(std::move(metrics)),
      sampler_(machine),
      log_(machine),
      events_(machine),
      runner_(machine),
      recordings_(std::move(recordings)) {
  live_ = sampler_.take();
  history_.add(live_);
  (void)log_.take();
  (void)events_.take();
  counter_.take(machine_);
}

http::Response Service::answer(const http::Request& request) {
  const auto found = find_route(request.method, request.path);
  auto access = found.entry ? found.entry->access : Access::page;
  if (found.entry && found.entry->route == Route::metrics && metrics_settings_.is_open) access = Access::open;
  auto response = guard_.refuse(request, access).value_or(http::Response{.status = 0});
  if (response.status == 0) response = route(found, request);
  add_security_headers(response);
  return response;
}

http::Response Service::route(const Found& found, const http::Request& request) {
  if (found.match == Match::other_method) return error_response(405, "the path has other methods");
  if (found.match == Match::none) return page(request);
  switch (found.entry->route) {
    case Route::openapi:
      return {.body = std::string(openapi_text())};
    case Route::metrics:
      return metrics();
    case Route::machine:
      return json_or_busy(facts_of(machine_));
    case Route::topology:
      return json_or_busy(topology_of(machine_));
    case Route::live:
      return {.body = live_};
    case Route::history:
      return history(request);
    case Route::state:
      return json_response(condition_of(machine_));
    case Route::log:
      return json_response(log_.all());
    case Route::events:
      return json_response(events_.all());
    case Route::fields:
      return fields(found.parameter, request);
    case Route::stream:
      return stream();
    case Route::command:
      return command(request);
    case Route::scenarios:
      return json_response(library_json());
    case Route::check:
      return check(request);
    case Route::run_status:
      return json_response(runner_.status());
    case Route::run_start:
      return start_run(request);
    case Route::run_stop:
      return stop_run(request);
    case Route::recordings:
      return recordings();
    case Route::comparison:
      return json_response(comparison_status());
    case Route::comparison_start:
      return start_comparison(request);
    case Route::comparison_stop:
      return stop_comparison();
    case Route::page:
      break;
  }
  return page(request);
}

http::Response Service::page(const http::Request& request) const {
  const std::string_view path = request.path;
  const auto name = path == "/" ? "index.html" : path.substr(std::min<std::size_t>(1, path.size()));
  const auto files = page_files();
  const auto file = std::find_if(files.begin(), files.end(), [&](const auto& each) { return each.name == name; });
  if (file == files.end()) return error_response(404, "there is nothing at this path");
  if (request.method != "GET" && request.method != "HEAD") return error_response(405, "files are read with GET");
  return {.type = std::string(type_of_file(file->name)), .body = std::string(file->text)};
}

http::Response Service::metrics() {
  counter_.take(machine_);
  metrics::Exposition out;
  const auto& settings = metrics_settings_;
  const bool read = (!settings.own_names || metrics::add_machine(out, machine_, counter_)) &&
                    (!settings.dcgm_names || metrics::add_dcgm(out, machine_, settings.host));
  if (!read) return error_response(503, "a writer of the machine is stopped");
  return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = out.text()};
}

http::Response Service::history(const http::Request& request) const {
  constexpr std::size_t kUsual = 300;
  const auto given = request.query.find("samples");
  if (given == request.query.end()) return {.body = history_.newest(kUsual)};
  const auto count = sim::text::number_of<std::uint32_t>(given->second);
  if (!count) return error_response(422, "samples: expected a number");
  return {.body = history_.newest(*count)};
}

http::Response Service::stream() {
  if (state_.empty()) state_ = text_of_json(condition_of(machine_));
  return {.type = std::string(http::kEventStream),
          .body = http::event_text("state", state_) + http::event_text("run", text_of_json(runner_.status())) +
                  http::event_text("comparison", text_of_json(comparison_status())) + http::event_text("live", live_),
          .stream = true};
}

void Service::tick(const Broadcast& broadcast, bool anybody) {
  live_ = sampler_.take(comparison_ ? &*comparison_ : nullptr);
  history_.add(live_);
  if (anybody) broadcast(http::event_text("live", live_));
  changed(broadcast, anybody);
}

void Service::changed(const Broadcast& broadcast, bool anybody) {
  runner_.advance();
  counter_.take(machine_);
  const auto messages = log_.take(), events = events_.take();
  if (!anybody) {
    state_.clear();
    return;
  }
  const auto send = [&](std::string_view name, std::string& last, std::string now) {
    if (now == last) return;
    last = std::move(now);
    broadcast(http::event_text(name, last));
  };
  if (!messages.empty()) broadcast(http::event_text("log", text_of_json(messages)));
  if (!events.empty()) broadcast(http::event_text("events", text_of_json(events)));
  send("state", state_, text_of_json(condition_of(machine_)));
  send("run", run_, text_of_json(runner_.status()));
  send("comparison", compared_, text_of_json(comparison_status()));
}

}  // namespace nvmlkit::serve::api
