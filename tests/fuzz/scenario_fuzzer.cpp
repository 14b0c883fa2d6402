// Any text is either refused in one line with its place, or becomes a scenario that runs to an end on a machine.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "scenario/memory.hpp"
#include "scenario/play.hpp"
#include "scenario/read.hpp"
#include "sim/config/load.hpp"
#include "sim/problem/text.hpp"

namespace {

using namespace nvmlkit;

void require(bool condition, const char* what, const std::string& text) {
  if (condition) return;
  std::fprintf(stderr, "%s\n%s\n", what, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto scenario = scenario::read("input", {reinterpret_cast<const char*>(data), size});
  if (!scenario) {
    const auto what = sim::text_of(scenario.error());
    require(what.starts_with("input") && what.find('\n') == std::string::npos, "not one line with its place:", what);
    return 0;
  }
  scenario->end_s = 20;  // of virtual time
  for (auto& step : scenario->steps)
    if (step.every_s && *step.every_s < 0.1) step.every_s = 0.1;
  auto machine = sim::load_machine({{"NVMLKIT_MACHINE", "t4"}, {"NVMLKIT_GPU_COUNT", "2"}});
  if (!machine) std::abort();
  scenario::begin_anew(**machine, 0);
  auto plan = scenario::Plan::make(std::move(*scenario), {true, "node", {{"a", "b"}}}, **machine);
  if (!plan) {
    const auto what = sim::text_of(plan.error());
    require(what.starts_with("input:") && what.find('\n') == std::string::npos, "not one line with its place:", what);
    return 0;
  }
  scenario::Run run(std::move(*plan), **machine, {});
  require(static_cast<bool>(scenario::play(run, **machine)), "cannot be played", "");
  require(run.is_over(), "does not end", "");
  run.undo();
  return 0;
}
