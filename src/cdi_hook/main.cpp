// nvmlkit-cdi-hook: a hook of container runtimes, which the CDI specification of a driver root names. See README.md.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>

#include "cdi_hook/presence.hpp"
#include "sim/problem/text.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::cdi_hook {
namespace {

struct Options {
  std::string state, gpu, memory, load;
  std::uint32_t gpu_instance = sim::processes::kNoInstance, compute_instance = sim::processes::kNoInstance;
};

// Exit status 1 keeps the container from starting, and its runtime shows the line to the user.
int refuse(const sim::Problem& problem) {
  std::fprintf(stderr, "nvmlkit-cdi-hook: %s\n", sim::text_of(problem).c_str());
  return 1;
}

std::optional<std::size_t> find_gpu(const sim::Machine& machine, const std::string& uuid) {
  for (std::size_t i = 0; i < machine.gpus().size(); ++i)
    if (const auto& own = machine.gpus()[i].uuid; own && own->view() == uuid) return i;
  return std::nullopt;
}

int follow(const Options& options, bool begins) {
  const auto container = read_container(std::cin);
  if (!container) return refuse(container.error());
  const auto share = share_of(*container, options.memory, options.load);
  if (!share) return refuse(share.error());
  if (begins && (!share->any() || container->pid == 0)) return 0;
  const auto machine = sim::state::attach(options.state);
  // A container runs without its node, too.
  if (!machine) return refuse(machine.error()), 0;
  const auto gpu = find_gpu(**machine, options.gpu);
  if (!gpu) return 0;
  const Target target{*gpu, options.gpu_instance, options.compute_instance};
  const auto done = begins ? begin(**machine, target, *container, *share) : end(**machine, target, *container, *share);
  return done ? 0 : refuse(done.error());
}

int run(int count, char** words) {
  CLI::App app("A hook of container runtimes: a container with GPUs is a process on them", "nvmlkit-cdi-hook");
  Options options;
  app.add_option("--state", options.state, "State file of the machine")->required();
  app.add_option("--gpu", options.gpu, "UUID of the GPU")->required();
  app.add_option("--gpu-instance", options.gpu_instance, "GPU instance of a MIG device");
  app.add_option("--compute-instance", options.compute_instance, "Compute instance of a MIG device");
  app.add_option("--memory", options.memory, "Memory of a container that names none");
  app.add_option("--load", options.load, "Load of a container that names none");
  const auto* const begins = app.add_subcommand("begin", "The container is made")->fallthrough();
  app.add_subcommand("end", "The container has ended")->fallthrough();
  app.require_subcommand(1);
  CLI11_PARSE(app, count, words);
  return follow(options, begins->parsed());
}

}  // namespace
}  // namespace nvmlkit::cdi_hook

int main(int count, char** words) { return nvmlkit::cdi_hook::run(count, words); }
