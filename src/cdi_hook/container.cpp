#include "cdi_hook/container.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace nvmlkit::cdi_hook {
namespace {

using Json = nlohmann::json;

sim::Problem unreadable(std::string what) {
  return {
      .kind = sim::ProblemKind::unusable_file, .what = std::move(what), .place = {.file = "state of the container"}};
}

void add_annotations(const Json& from, Container& to) {
  const auto found = from.find("annotations");
  if (found == from.end() || !found->is_object()) return;
  for (const auto& [name, value] : found->items())
    if (value.is_string()) to.annotations[name] = value.get<std::string>();
}

void add_process(const Json& config, Container& to) {
  const auto process = config.find("process");
  if (process == config.end() || !process->is_object()) return;
  if (const auto args = process->find("args"); args != process->end() && args->is_array() && !args->empty())
    if (const auto& program = args->front(); program.is_string()) to.program = program.get<std::string>();
  const auto variables = process->find("env");
  if (variables == process->end() || !variables->is_array()) return;
  for (const auto& variable : *variables) {
    if (!variable.is_string()) continue;
    const auto text = variable.get<std::string>();
    if (const auto equals = text.find('='); equals != text.npos)
      to.variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
}

}  // namespace

sim::Expected<Container> read_container(std::istream& state) {
  const auto document = Json::parse(state, nullptr, false);
  if (!document.is_object()) return sim::fail(unreadable("is no JSON object: a runtime writes it to standard input"));
  Container out;
  if (const auto pid = document.find("pid"); pid != document.end() && pid->is_number_unsigned())
    out.pid = pid->get<std::uint32_t>();
  if (const auto bundle = document.find("bundle"); bundle != document.end() && bundle->is_string()) {
    out.bundle = bundle->get<std::string>();
    std::ifstream file(out.bundle / "config.json");
    const auto config = file ? Json::parse(file, nullptr, false) : Json();
    if (config.is_object()) {
      add_annotations(config, out);
      add_process(config, out);
    }
  }
  add_annotations(document, out);
  return out;
}

}  // namespace nvmlkit::cdi_hook
