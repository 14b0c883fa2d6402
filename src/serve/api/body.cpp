#include "serve/api/body.hpp"

namespace nvmlkit::serve::api {
namespace {

constexpr int kDeepest = 8;

}  // namespace

// Nesting is bounded: nothing here is deep, and the parser is recursive.
Json object_of(const http::Request& request) {
  bool too_deep = false;
  auto body = Json::parse(
      request.body,
      [&](int depth, Json::parse_event_t, Json&) {
        too_deep = too_deep || depth > kDeepest;
        return !too_deep;
      },
      false);
  return too_deep || !body.is_object() ? Json() : body;
}

http::Response no_object() { return error_response(400, "the body must be a JSON object"); }

sim::Expected<std::optional<std::string>> text_at(const Json& body, const char* key) {
  const auto found = body.find(key);
  if (found == body.end() || found->is_null()) return std::nullopt;
  if (!found->is_string()) return sim::fail(sim::wrong_value("a text").of_field(key));
  return found->get<std::string>();
}

}  // namespace nvmlkit::serve::api
