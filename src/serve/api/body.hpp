// The bodies of requests.
#pragma once

#include <optional>
#include <string>

#include "serve/api/error.hpp"
#include "serve/http/message.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::serve::api {

// The body as an object, or null.
Json object_of(const http::Request& request);
// Its refusal.
http::Response no_object();

// A key that has to be a text where it is there.
sim::Expected<std::optional<std::string>> text_at(const Json& body, const char* key);

}  // namespace nvmlkit::serve::api
