// What clients ask the machine to do, and the fields of a GPU.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "scenario/library.hpp"
#include "scenario/words.hpp"
#include "serve/api/body.hpp"
#include "serve/api/service.hpp"
#include "serve/machine/fields.hpp"
#include "serve/scenarios/plan_json.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/paths.hpp"
#include "sim/telemetry/reading.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::serve::api {
namespace {

sim::Expected<std::vector<std::string>> words_of(const Json& body) {
  const auto line = text_at(body, "line");
  if (!line) return sim::fail(line.error());
  if (*line) return scenario::split_words(**line);
  const auto words = body.find("words");
  if (words == body.end() || !words->is_array()) return sim::fail(sim::missing("a key `words` or `line`"));
  std::vector<std::string> out;
  for (const auto& word : *words) {
    if (!word.is_string()) return sim::fail(sim::wrong_value("a list of texts").of_field("words"));
    out.push_back(word.get<std::string>());
  }
  return out;
}

}  // namespace

http::Response Service::fields(std::string_view gpu, const http::Request& request) const {
  const auto index = sim::text::number_of<std::uint32_t>(gpu);
  if (!index || *index >= machine_.gpus().size()) return error_response(404, "the machine has no such GPU");
  const auto path = request.query.find("path");
  const auto copy = std::make_unique<sim::model::Gpu>();
  const auto& source = machine_.gpus()[*index];
  if (!sim::state::consistently(machine_, machine_.sequence(source),
                                [&] { std::memcpy(static_cast<void*>(copy.get()), &source, sizeof source); }))
    return error_response(503, "a writer of the machine is stopped");
  sim::telemetry::resolve(machine_, *copy);
  const auto value = fields_of(*copy, path == request.query.end() ? "" : sim::steering::full_path(path->second));
  return value ? json_response({{"gpu", *index}, {"value", *value}}) : problem_response(value.error());
}

http::Response Service::command(const http::Request& request) {
  const auto body = object_of(request);
  if (body.is_null()) return no_object();
  const auto words = words_of(body);
  if (!words) return problem_response(words.error());
  if (const auto done = sim::steering::steer(machine_, *words); !done) return problem_response(done.error());
  return json_response({{"done", *words}});
}

sim::Expected<scenario::Plan> Service::plan_of(const Json& body) const {
  const auto name = text_at(body, "name"), text = text_at(body, "text"), seed = text_at(body, "seed");
  for (const auto* each : {&name, &text, &seed})
    if (!*each) return sim::fail(each->error());
  if (*text) return runner_.plan(name->value_or("scenario"), **text, *seed);
  if (!*name) return sim::fail(sim::missing("a key `text` or `name`"));
  const auto ready = scenario::find_in_library(**name);
  if (!ready) return sim::fail(ready.error());
  return runner_.plan(**name, std::string(ready->text), *seed);
}

http::Response Service::check(const http::Request& request) const {
  const auto body = object_of(request);
  if (body.is_null()) return no_object();
  const auto plan = plan_of(body);
  return plan ? json_response(json_of(*plan)) : problem_response(plan.error());
}

http::Response Service::start_run(const http::Request& request) {
  const auto body = object_of(request);
  if (body.is_null()) return no_object();
  if (runner_.is_running()) return error_response(409, "a scenario runs already; end it first");
  auto plan = plan_of(body);
  if (!plan) return problem_response(plan.error());
  runner_.start(std::move(*plan));
  return json_response(runner_.status());
}

http::Response Service::stop_run(const http::Request& request) {
  const auto undo = request.query.find("undo");
  if (undo != request.query.end() && undo->second != "true" && undo->second != "false")
    return error_response(422, "undo: expected true or false");
  runner_.stop(undo == request.query.end() || undo->second == "true");
  return json_response(runner_.status());
}

}  // namespace nvmlkit::serve::api
