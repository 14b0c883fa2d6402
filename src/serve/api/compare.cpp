// The comparison with a recording.
#include <algorithm>
#include <memory>
#include <utility>

#include "serve/api/body.hpp"
#include "serve/api/service.hpp"
#include "serve/comparison/base64.hpp"
#include "sim/problem/names.hpp"
#include "sim/state/clock.hpp"
#include "sim/steering/time_words.hpp"

namespace nvmlkit::serve::api {
namespace {

// The recording of a body: its text, or the text compressed.
sim::Expected<std::optional<std::string>> text_of_body(const Json& body) {
  auto text = text_at(body, "text");
  if (!text || *text) return text;
  const auto packed = text_at(body, "gzip");
  if (!packed || !*packed) return packed;
  auto bytes = from_base64(**packed);
  if (!bytes) return sim::fail(sim::wrong_value("base64").of_field("gzip"));
  return std::move(*bytes);
}

sim::Expected<std::int64_t> begin_of(const Json& body) {
  const auto from = text_at(body, "from");
  if (!from) return sim::fail(from.error());
  if (!*from) return 0;
  const auto seconds = sim::steering::read_seconds(**from);
  if (!seconds) return sim::fail(seconds.error());
  return static_cast<std::int64_t>(*seconds * 1000);
}

}  // namespace

http::Response Service::recordings() const {
  auto out = Json::array();
  for (const auto& each : recordings_)
    out.push_back({{"name", each->name}, {"format", each->format}, {"duration_s", each->duration_ms / 1000}});
  return json_response(out);
}

Json Service::comparison_status() const { return comparison_ ? comparison_->status() : Json{{"state", "none"}}; }

sim::Expected<std::shared_ptr<const Curves>> Service::curves_of(const Json& body) const {
  const auto name = text_at(body, "name");
  if (!name) return sim::fail(name.error());
  const auto text = text_of_body(body);
  if (!text) return sim::fail(text.error());
  if (*text) {
    auto curves = read_curves(name->value_or("recording"), **text, machine_);
    if (!curves) return sim::fail(curves.error());
    return std::make_shared<const Curves>(std::move(*curves));
  }
  if (!*name) return sim::fail(sim::missing("a key `name`, `text` or `gzip`"));
  std::vector<std::string_view> known;
  for (const auto& each : recordings_) {
    if (each->name == **name) return each;
    known.push_back(each->name);
  }
  return sim::fail(sim::unknown_name("recording", **name, known));
}

http::Response Service::start_comparison(const http::Request& request) {
  const auto body = object_of(request);
  if (body.is_null()) return no_object();
  const auto from = begin_of(body);
  if (!from) return problem_response(from.error());
  const auto curves = curves_of(body);
  if (!curves) return problem_response(curves.error());
  comparison_.emplace(*curves, sim::unix_us(machine_, sim::now_ns(machine_)), *from);
  return json_response(comparison_status());
}

http::Response Service::stop_comparison() {
  comparison_.reset();
  return json_response(comparison_status());
}

}  // namespace nvmlkit::serve::api
