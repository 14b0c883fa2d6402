#include <charconv>
#include <optional>

#include "sim/config/suggest.hpp"
#include "sim/state/clock.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/selector.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/transaction/change.hpp"

namespace nvmlkit::sim::steering {
namespace {

using config::quote;
using model::Field;
using model::Gpu;

// A number and its unit, one of those given with what each is in the first one's.
struct Unit {
  std::string_view word;
  double factor;
};

std::optional<double> number_with_unit(const std::string& text, std::initializer_list<Unit> units) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc()) return std::nullopt;
  const std::string_view word(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const auto& unit : units)
    if (unit.word == word) return value * unit.factor;
  return std::nullopt;
}

// Both return what is wrong, empty when nothing is.
std::string read_percent(const std::string& text, Field<std::uint32_t>& out) {
  const auto value = number_with_unit(text, {{"%", 1}, {"", 1}});
  if (!value || *value < 0 || *value > 100 || *value != static_cast<double>(static_cast<int>(*value)))
    return "expected a whole percentage from 0% to 100%, got " + quote(text);
  out = static_cast<std::uint32_t>(*value);
  return {};
}

std::string read_seconds(const std::string& text, double& out) {
  const auto value = number_with_unit(text, {{"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}});
  if (!value || !(*value > 0) || *value > 1e8)
    return "expected a time such as 500ms, 10s, 5m or 2h, got " + quote(text);
  out = *value;
  return {};
}

struct Option {
  std::string_view name;
  Field<std::uint32_t> model::Workload::*share;
};
constexpr Option kOptions[] = {{"--memory", &model::Workload::memory},
                               {"--encoder", &model::Workload::encoder},
                               {"--decoder", &model::Workload::decoder},
                               {"--jpeg", &model::Workload::jpeg},
                               {"--ofa", &model::Workload::ofa}};

std::string read_option(const std::string& name, const std::string& value, model::Workload& workload, double& seconds) {
  if (name == "--for") return read_seconds(value, seconds);
  for (const auto& option : kOptions)
    if (name == option.name) return read_percent(value, workload.*option.share);
  return "unexpected " + quote(name);
}

}  // namespace

std::string load(const Machine& machine, std::string_view gpus, Words words) {
  if (words.empty()) return "expected a percentage, such as 80%, or off";
  const bool off = words[0] == "off";
  if (off && words.size() > 1) return "off takes no other option";
  model::Workload workload;
  double seconds = 0;
  if (!off)
    if (auto problem = read_percent(words[0], workload.gpu); !problem.empty()) return problem;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return "expected a value after " + quote(words[i]);
    if (auto problem = read_option(words[i], words[i + 1], workload, seconds); !problem.empty()) return problem;
  }
  std::string problem;
  const auto places = select_gpus(machine, gpus, problem);
  if (places.empty()) return problem;
  return transaction::change_gpus(machine, places, [&](Gpu& gpu, std::size_t) {
    if (off)
      telemetry::unload(gpu);
    else
      telemetry::load(gpu, workload, now_ns(machine), seconds);
    return std::string();
  });
}

std::string pass_time(const Machine& machine, Words words) {
  const std::string what = words.empty() ? "" : words[0];
  const bool advances = what == "advance";
  if (advances && words.size() < 2) return "advance by how much? For example: nvmlkit time advance 10s";
  if (words.size() > (advances ? 2U : 1U)) return "only advance takes a time";
  double by = 0;
  if (advances)
    if (auto problem = read_seconds(words[1], by); !problem.empty()) return problem;
  const auto pace = advances ? std::nullopt : parse_pace(what);
  if (!advances && !pace) return std::string(kPaceWords) + " or advance, got " + quote(what);
  const state::Lock lock(machine);
  if (!lock) return transaction::refusal_of(lock);
  const auto& clock = machine.host().clock;
  const auto real = real_time_ns();
  const auto wanted = pace ? clock.paced(real, *pace) : clock.advanced(real, static_cast<std::int64_t>(by * 1e9));
  return lock.replace(clock, wanted) ? std::string() : "the state file cannot grow";
}

}  // namespace nvmlkit::sim::steering
