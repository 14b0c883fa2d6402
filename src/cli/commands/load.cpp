// nvmlkit load
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/model_json.hpp"
#include "cli/selector.hpp"
#include "scenario/play.hpp"
#include "scenario/workload.hpp"
#include "sim/steering/command.hpp"

namespace nvmlkit::cli {
namespace {

using sim::model::Field;
using sim::model::Workload;

struct LoadOptions {
  UpMachineOptions machine;
  std::string selector, gpu, memory, encoder, decoder, jpeg, ofa, duration, from;
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

// Between commas.
std::vector<std::string> words_between(const std::string& text) {
  std::vector<std::string> out = {""};
  for (const char c : text)
    if (c == ',')
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

// A scenario of one step, which ends with the file.
int load_from(const LoadOptions& options) {
  const auto machine = machine_of(options.machine);
  static_cast<void>(select(*machine, options.selector));
  const auto path = std::filesystem::absolute(options.from).string();
  scenario::Step step;
  step.from = "'" + path + "'";
  step.place.named_by = "--from";
  scenario::Scenario wanted;
  wanted.name = wanted.seed = "load";
  wanted.gpus.key = "gpus";
  wanted.gpus.named = words_between(options.selector.substr(options.selector.find('=') + 1));
  wanted.steps = value_of(scenario::steps_of_workload(step, {}));
  scenario::Run run(value_of(scenario::Plan::make(std::move(wanted), {}, *machine)), *machine, {});
  accept(scenario::play(run, *machine));
  return 0;
}

int load_gpus(const LoadOptions& options) {
  if (!options.from.empty()) return load_from(options);
  if (options.gpu.empty())
    throw CommandError({.kind = sim::ProblemKind::missing, .what = "how much? A percentage, off, or --from FILE"});
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
  const auto machine = machine_of(options.machine);
  accept(sim::steering::load(*machine, options.selector, words));
  if (!options.as_json) return 0;
  auto all = Json::array();
  for (const auto index : select(*machine, options.selector))
    all.push_back({{"gpu", index}, {"workload", workload_json(snapshot(*machine, index)->workload)}});
  fmt::print("{}\n", all.dump(2));
  return 0;
}

Action declare_load(Arguments& arguments) {
  const auto options = std::make_shared<LoadOptions>();
  declare_gpus(arguments, options->selector).required();
  arguments.argument("PERCENT", Kind::text, options->gpu, "Time with a kernel running; off: no workload")
      .for_example({"100%", "80%", "50%", "off"});
  const auto share = [&](const char* name, std::string& value, const char* help) {
    arguments.option(name, Kind::text, value, help).label("PERCENT");
  };
  share("--memory", options->memory, "Time with memory being read or written");
  share("--encoder", options->encoder, "Encoder");
  share("--decoder", options->decoder, "Decoder");
  share("--jpeg", options->jpeg, "JPEG engine");
  share("--ofa", options->ofa, "Optical flow accelerator");
  arguments.option("--for", Kind::text, options->duration, "How long, as 500ms, 10s, 5m or 2h")
      .label("TIME")
      .default_text("until it is changed");
  arguments
      .option("--from", Kind::file, options->from,
              "Let the utilization of a recording pass in its time, and then end: any file of `nvmlkit replay`")
      .default_text("none");
  declare_json(arguments, options->as_json);
  options->machine.declare(arguments);
  return [options] { return load_gpus(*options); };
}

}  // namespace

Command load_command() {
  return {.name = "load",
          .summary = "Keep GPUs busy",
          .group = Group::up,
          .details = "Utilization, clocks, power and temperature follow the load.",
          .examples = {{"nvmlkit load gpu=all 80% --memory 40% --for 10s", "all GPUs, for ten seconds"},
                       {"nvmlkit load gpu=0 off", "no load any more"},
                       {"nvmlkit load gpu=all --from query.csv", "the shape of a real workload, until it ends"}},
          .declare = declare_load};
}

}  // namespace nvmlkit::cli
