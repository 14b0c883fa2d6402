// Which request is about what.
#pragma once

#include <span>
#include <string_view>

#include "serve/security/guard.hpp"

namespace nvmlkit::serve::api {

enum class Route : std::uint8_t {
  page,
  openapi,
  metrics,
  machine,
  topology,
  live,
  history,
  state,
  log,
  events,
  fields,
  stream,
  command,
  scenarios,
  check,
  run_status,
  run_start,
  run_stop,
  recordings,
  comparison,
  comparison_start,
  comparison_stop,
};

struct RouteEntry {
  std::string_view method, path;  // {gpu} at its end stands for a number
  Access access;
  Route route;
};

// All but the files of the page.
std::span<const RouteEntry> routes();

enum class Match : std::uint8_t { none, other_method, found };
struct Found {
  Match match = Match::none;
  const RouteEntry* entry = nullptr;
  std::string_view parameter = {};  // what stands for {gpu}; part of the path that was asked for
};
// HEAD asks for what GET does.
Found find_route(std::string_view method, std::string_view path);

}  // namespace nvmlkit::serve::api
