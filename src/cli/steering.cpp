#include "cli/steering.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/model_json.hpp"
#include "cli/target.hpp"
#include "sim/state/clock.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/paths.hpp"
#include "sim/telemetry/pins.hpp"

namespace nvmlkit::cli {
namespace {

using sim::model::Field;
using sim::model::Workload;

struct LoadOptions {
  std::string state, selector, gpu, memory, encoder, decoder, jpeg, ofa, duration;
  bool as_json = false;
};

Json workload_json(const Workload& workload) {
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
  std::vector<std::string> words = {options.gpu};
  const auto give = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  give("--memory", options.memory);
  give("--encoder", options.encoder);
  give("--decoder", options.decoder);
  give("--jpeg", options.jpeg);
  give("--ofa", options.ofa);
  give("--for", options.duration);
  const auto machine = machine_of(options.state);
  accept(sim::steering::load(*machine, options.selector, words));
  if (!options.as_json) return;
  auto all = Json::array();
  for (const auto index : select(*machine, options.selector))
    all.push_back({{"gpu", index}, {"workload", workload_json(snapshot(*machine, index)->workload)}});
  fmt::print("{}\n", all.dump(2));
}

struct ReleaseOptions {
  std::string state, selector, path = "all";
  bool as_json = false;
};

void release(const ReleaseOptions& options) {
  const auto machine = machine_of(options.state);
  // What moves again is what was pinned.
  auto all = Json::array();
  if (options.as_json) {
    const auto path = options.path == "all" ? "" : sim::steering::full_path(options.path);
    for (const auto index : select(*machine, options.selector))
      all.push_back({{"gpu", index}, {"released", sim::telemetry::release(*snapshot(*machine, index), path)}});
  }
  accept(sim::steering::release(*machine, options.selector, options.path));
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
  std::vector<std::string> words;
  for (const auto& word : {options.what, options.by})
    if (!word.empty()) words.push_back(word);
  const auto machine = machine_of(options.state);
  if (!words.empty()) accept(sim::steering::pass_time(*machine, words));
  if (words.empty() || options.as_json) show_time(*machine, options.as_json);
}

constexpr const char* kGpuHelp = "gpu=INDEX, gpu=UUID, gpu=BUS-ID or gpu=all";
constexpr const char* kStateHelp = "State file; default: NVMLKIT_STATE, else the user's own";

Command load_command(CLI::App& app) {
  const auto o = std::make_shared<LoadOptions>();
  auto* command = app.add_subcommand("load", "Keep GPUs busy: nvmlkit load gpu=all 80% --memory 40% --for 10s");
  command->add_option("GPU", o->selector, kGpuHelp)->required();
  command->add_option("PERCENT", o->gpu, "Time with a kernel running; off: no workload")->required();
  command->add_option("--memory", o->memory, "Time with memory being read or written");
  command->add_option("--encoder", o->encoder, "Encoder");
  command->add_option("--decoder", o->decoder, "Decoder");
  command->add_option("--jpeg", o->jpeg, "JPEG engine");
  command->add_option("--ofa", o->ofa, "Optical flow accelerator");
  command->add_option("--for", o->duration, "How long, as 500ms, 10s, 5m or 2h; default: until it is changed");
  command->add_option("--state", o->state, kStateHelp);
  command->add_flag("--json", o->as_json, "As JSON");
  return {command, [o] { return guarded([&] { load(*o); }); }};
}

Command release_command(CLI::App& app) {
  const auto o = std::make_shared<ReleaseOptions>();
  auto* command =
      app.add_subcommand("release", "Let values that were set move again: nvmlkit release gpu=0 thermal.gpu");
  command->add_option("GPU", o->selector, kGpuHelp)->required();
  command->add_option("PATH", o->path, "A live value, a group of them, or all");
  command->add_option("--state", o->state, kStateHelp);
  command->add_flag("--json", o->as_json, "As JSON");
  return {command, [o] { return guarded([&] { release(*o); }); }};
}

Command time_command(CLI::App& app) {
  const auto o = std::make_shared<TimeOptions>();
  auto* command =
      app.add_subcommand("time", "Show the machine's time or change how it passes: nvmlkit time advance 10s");
  command->add_option("PACE", o->what, "real, virtual, a factor such as 60, or advance");
  command->add_option("TIME", o->by, "How far to advance, as 500ms, 10s, 5m or 2h");
  command->add_option("--state", o->state, kStateHelp);
  command->add_flag("--json", o->as_json, "As JSON");
  return {command, [o] { return guarded([&] { time(*o); }); }};
}

}  // namespace

std::vector<Command> add_steering_commands(CLI::App& app) {
  return {load_command(app), release_command(app), time_command(app)};
}

}  // namespace nvmlkit::cli
