#include "serve/api/routes.hpp"

namespace nvmlkit::serve::api {
namespace {

constexpr RouteEntry kRoutes[] = {
    {"GET", "/openapi.json", Access::page, Route::openapi},
    {"GET", "/metrics", Access::read, Route::metrics},
    {"GET", "/api/v1/machine", Access::read, Route::machine},
    {"GET", "/api/v1/topology", Access::read, Route::topology},
    {"GET", "/api/v1/live", Access::read, Route::live},
    {"GET", "/api/v1/history", Access::read, Route::history},
    {"GET", "/api/v1/state", Access::read, Route::state},
    {"GET", "/api/v1/log", Access::read, Route::log},
    {"GET", "/api/v1/events", Access::read, Route::events},
    {"GET", "/api/v1/gpus/{gpu}", Access::read, Route::fields},
    {"GET", "/api/v1/stream", Access::read, Route::stream},
    {"POST", "/api/v1/commands", Access::write, Route::command},
    {"GET", "/api/v1/scenarios", Access::read, Route::scenarios},
    {"POST", "/api/v1/scenarios/check", Access::write, Route::check},
    {"GET", "/api/v1/run", Access::read, Route::run_status},
    {"POST", "/api/v1/run", Access::write, Route::run_start},
    {"DELETE", "/api/v1/run", Access::write, Route::run_stop},
    {"GET", "/api/v1/recordings", Access::read, Route::recordings},
    {"GET", "/api/v1/comparison", Access::read, Route::comparison},
    {"POST", "/api/v1/comparison", Access::write, Route::comparison_start},
    {"DELETE", "/api/v1/comparison", Access::write, Route::comparison_stop},
};

// Does the path match? What stands for the last part in braces comes back.
bool matches(std::string_view pattern, std::string_view path, std::string_view& parameter) {
  const auto brace = pattern.find('{');
  if (brace == std::string_view::npos) return pattern == path;
  if (!path.starts_with(pattern.substr(0, brace))) return false;
  parameter = path.substr(brace);
  return !parameter.empty() && parameter.find('/') == std::string_view::npos;
}

}  // namespace

std::span<const RouteEntry> routes() { return kRoutes; }

Found find_route(std::string_view method, std::string_view path) {
  Found out;
  if (method == "HEAD") method = "GET";
  for (const auto& entry : kRoutes) {
    std::string_view parameter;
    if (!matches(entry.path, path, parameter)) continue;
    if (entry.method == method) return {Match::found, &entry, parameter};
    out.match = Match::other_method;
  }
  return out;
}

}  // namespace nvmlkit::serve::api
