// Responses that refuse.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "serve/http/message.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::serve::api {

using Json = nlohmann::ordered_json;

http::Response json_response(const Json& body);
http::Response error_response(int status, std::string_view message);

// 409 for a machine that cannot do it now, else 422, with field, place and nearest name.
http::Response problem_response(const sim::Problem& problem);

// Text of any bytes: what is no UTF-8 is replaced.
std::string text_of_json(const Json& json);

}  // namespace nvmlkit::serve::api
