#include "cli/steering.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <string>

#include "cli/model_json.hpp"
#include "cli/target.hpp"
#include "sim/clock.hpp"
#include "sim/config/suggest.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/telemetry/pins.hpp"

namespace nvmlkit::cli {
namespace {

using sim::config::quote;
using sim::model::Field;
using sim::model::Gpu;

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

std::uint32_t percent(const std::string& text) {
  const auto value = number_with_unit(text, {{"%", 1}, {"", 1}});
  if (!value || *value < 0 || *value > 100 || *value != static_cast<double>(static_cast<int>(*value)))
    throw Refused("expected a whole percentage from 0% to 100%, got " + quote(text));
  return static_cast<std::uint32_t>(*value);
}

double seconds(const std::string& text) {
  const auto value = number_with_unit(text, {{"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}});
  if (!value || !(*value > 0) || *value > 1e8)
    throw Refused("expected a time such as 500ms, 10s, 5m or 2h, got " + quote(text));
  return *value;
}

struct LoadOptions {
  std::string state, selector, gpu, memory, encoder, decoder, jpeg, ofa, duration;
  bool as_json = false;
};

Json workload_json(const sim::model::Workload& workload) {
  if (!workload.gpu) return nullptr;
  auto out = Json::object();
  const auto add = [&](const char* name, const Field<std::uint32_t>& share) {
    if (share) out[name] = *share;
  };
  add("gpu", workload.gpu);
  add("memory", workload.memory);
  add("encoder", workload.encoder);
  add("decoder", workload.decoder);
  add("jpeg", workload.jpeg);
  add("ofa", workload.ofa);
  return out;
}

void load(const LoadOptions& options) {
  const bool off = options.gpu == "off";
  const bool more = !options.memory.empty() || !options.encoder.empty() || !options.decoder.empty() ||
                    !options.jpeg.empty() || !options.ofa.empty() || !options.duration.empty();
  if (off && more) throw Refused("off takes no other option");
  sim::model::Workload workload;
  if (!off) workload.gpu = percent(options.gpu);
  const auto give = [](Field<std::uint32_t>& share, const std::string& text) {
    if (!text.empty()) share = percent(text);
  };
  give(workload.memory, options.memory);
  give(workload.encoder, options.encoder);
  give(workload.decoder, options.decoder);
  give(workload.jpeg, options.jpeg);
  give(workload.ofa, options.ofa);
  const double duration = options.duration.empty() ? 0 : seconds(options.duration);
  const auto machine = machine_of(options.state);
  const auto selected = select(*machine, options.selector);
  change(*machine, selected, [&](Gpu& gpu, std::size_t) {
    if (off)
      sim::telemetry::unload(gpu);
    else
      sim::telemetry::load(gpu, workload, sim::now_ns(*machine), duration);
  });
  if (!options.as_json) return;
  auto all = Json::array();
  for (const auto index : selected) all.push_back({{"gpu", index}, {"workload", workload_json(workload)}});
  fmt::print("{}\n", all.dump(2));
}

struct ReleaseOptions {
  std::string state, selector, path = "all";
  bool as_json = false;
};

void release(const ReleaseOptions& options) {
  const auto path = options.path == "all" ? "" : full_path(options.path);
  if (!sim::telemetry::is_live(path))
    throw Refused(quote(options.path) + " names no live value; see docs/guides/telemetry.md");
  const auto machine = machine_of(options.state);
  const auto selected = select(*machine, options.selector);
  auto all = Json::array();
  change(*machine, selected, [&](Gpu& gpu, std::size_t index) {
    all.push_back({{"gpu", index}, {"released", sim::telemetry::release(gpu, path)}});
  });
  if (options.as_json) fmt::print("{}\n", all.dump(2));
}

struct TimeOptions {
  std::string state, what, by;
  bool as_json = false;
};

void show_time(const sim::Machine& machine, bool as_json) {
  const auto now = sim::now_ns(machine);
  const auto clock = machine.host().clock;
  const double pace = clock.set == 0 ? 1 : clock.pace;
  const auto since_us = sim::unix_us(machine, now);
  if (as_json)
    fmt::print("{}\n", Json{{"pace", pace}, {"unix_us", since_us}}.dump(2));
  else
    fmt::print("{} at {}.{:06}\n",
               pace == 0   ? "virtual"
               : pace == 1 ? "real"
                           : fmt::format("{} times real", pace),
               since_us / 1'000'000, since_us % 1'000'000);
}

void time(const TimeOptions& options) {
  if (options.what == "advance" && options.by.empty())
    throw Refused("advance by how much? For example: nvmlkit time advance 10s");
  if (options.what != "advance" && !options.by.empty()) throw Refused("only advance takes a time");
  const double by = options.by.empty() ? 0 : seconds(options.by);
  const auto pace = options.what.empty() || options.what == "advance" ? std::nullopt : sim::parse_pace(options.what);
  if (!options.what.empty() && options.what != "advance" && !pace)
    throw Refused(fmt::format("{} or advance, got {}", sim::pace_words, quote(options.what)));
  const auto machine = machine_of(options.state);
  if (!options.what.empty()) {
    const sim::state::Lock lock(*machine);
    require(lock);
    const auto& clock = machine->host().clock;
    const auto real = sim::real_time_ns();
    const auto wanted = pace ? clock.paced(real, *pace) : clock.advanced(real, static_cast<std::int64_t>(by * 1e9));
    if (!lock.replace(clock, wanted)) throw Refused("the state file cannot grow");
  }
  if (options.what.empty() || options.as_json) show_time(*machine, options.as_json);
}

constexpr const char* gpu_help = "gpu=INDEX, gpu=UUID, gpu=BUS-ID or gpu=all";
constexpr const char* state_help = "State file; default: NVMLKIT_STATE, else the user's own";

Command load_command(CLI::App& app) {
  const auto o = std::make_shared<LoadOptions>();
  auto* command = app.add_subcommand("load", "Keep GPUs busy: nvmlkit load gpu=all 80% --memory 40% --for 10s");
  command->add_option("GPU", o->selector, gpu_help)->required();
  command->add_option("PERCENT", o->gpu, "Time with a kernel running; off: no workload")->required();
  command->add_option("--memory", o->memory, "Time with memory being read or written");
  command->add_option("--encoder", o->encoder, "Encoder");
  command->add_option("--decoder", o->decoder, "Decoder");
  command->add_option("--jpeg", o->jpeg, "JPEG engine");
  command->add_option("--ofa", o->ofa, "Optical flow accelerator");
  command->add_option("--for", o->duration, "How long, as 500ms, 10s, 5m or 2h; default: until it is changed");
  command->add_option("--state", o->state, state_help);
  command->add_flag("--json", o->as_json, "As JSON");
  return {command, [o] { return guarded([&] { load(*o); }); }};
}

Command release_command(CLI::App& app) {
  const auto o = std::make_shared<ReleaseOptions>();
  auto* command =
      app.add_subcommand("release", "Let values that were set move again: nvmlkit release gpu=0 thermal.gpu");
  command->add_option("GPU", o->selector, gpu_help)->required();
  command->add_option("PATH", o->path, "A live value, a group of them, or all");
  command->add_option("--state", o->state, state_help);
  command->add_flag("--json", o->as_json, "As JSON");
  return {command, [o] { return guarded([&] { release(*o); }); }};
}

Command time_command(CLI::App& app) {
  const auto o = std::make_shared<TimeOptions>();
  auto* command =
      app.add_subcommand("time", "Show the machine's time or change how it passes: nvmlkit time advance 10s");
  command->add_option("PACE", o->what, "real, virtual, a factor such as 60, or advance");
  command->add_option("TIME", o->by, "How far to advance, as 500ms, 10s, 5m or 2h");
  command->add_option("--state", o->state, state_help);
  command->add_flag("--json", o->as_json, "As JSON");
  return {command, [o] { return guarded([&] { time(*o); }); }};
}

}  // namespace

std::vector<Command> add_steering_commands(CLI::App& app) {
  return {load_command(app), release_command(app), time_command(app)};
}

}  // namespace nvmlkit::cli
