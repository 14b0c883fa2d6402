#include "serve/api/error.hpp"

#include <string>

#include "sim/problem/text.hpp"

namespace nvmlkit::serve::api {
namespace {

int status_of(sim::ProblemKind kind) {
  switch (kind) {
    case sim::ProblemKind::impossible:
    case sim::ProblemKind::read_only:
    case sim::ProblemKind::busy:
      return 409;
    case sim::ProblemKind::out_of_memory:
      return 503;
    default:
      return 422;
  }
}

}  // namespace

std::string text_of_json(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

http::Response json_response(const Json& body) { return {.body = text_of_json(body)}; }

http::Response error_response(int status, std::string_view message) {
  return {.status = status, .body = text_of_json({{"message", message}})};
}

http::Response problem_response(const sim::Problem& problem) {
  Json body{{"message", sim::message_of(problem)}};
  if (!problem.field.empty()) body["field"] = problem.field;
  if (!problem.nearest.empty()) body["nearest"] = problem.nearest;
  if (problem.place.line > 0) body["line"] = problem.place.line;
  if (problem.place.column > 0) body["column"] = problem.place.column;
  return {.status = status_of(problem.kind), .body = text_of_json(body)};
}

}  // namespace nvmlkit::serve::api
