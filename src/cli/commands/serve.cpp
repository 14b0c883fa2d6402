// nvmlkit serve
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/machine.hpp"
#include "cli/machine_options.hpp"
#include "cli/selector.hpp"
#include "cli/serving.hpp"
#include "cli/state_files.hpp"
#include "cli/up_check.hpp"

namespace nvmlkit::cli {
namespace {

struct ServeCommandOptions {
  MachineOptions machine;
  ServingOptions serving;
};

// The state file of the machine; one that options describe is made for the time of the command.
std::string state_to_serve(const MachineOptions& machine, RunFile& made) {
  machine.export_all();
  if (const auto state = machine.state()) return *state;
  if (!machine.given()) return UpMachineOptions().existing_path();
  made = make_run_state(machine.choice().machine);
  return made.path();
}

void warn_of_network(const ServingOptions& serving) {
  const auto* const identity = serving.identity();
  if (serving.is_exposed() && identity == nullptr)
    fmt::print(stderr, "nvmlkit: other hosts can reach the page, and the token crosses the network unencrypted\n");
  if (identity != nullptr && identity->is_out_of_time())
    fmt::print(stderr, "nvmlkit: the certificate is not valid today, so browsers refuse it\n");
}

int serve_page(ServeCommandOptions& options) {
  RunFile made;
  const auto state = state_to_serve(options.machine, made);
  const auto machine = attach(state);
  const auto server = options.serving.listen();
  auto settings = options.serving.settings(*server);
  settings.recordings = options.serving.recordings(*machine);
  settings.is_up = [check = UpCheck(state)] { return check.is_up(); };
  fmt::print("Machine  {}\nState    {}\n", list_models(*machine), state);
  if (!options.serving.token_file().empty()) fmt::print("Token    {}\n", options.serving.token_file());
  if (const auto* const identity = options.serving.identity())
    fmt::print("TLS      SHA-256 {}{}\n", identity->fingerprint(),
               options.serving.is_self_signed() ? ", self-signed" : "");
  warn_of_network(options.serving);
  fmt::print("Page     {}\n", options.serving.url(*server, settings));
  std::fflush(stdout);
  if (!serve::serve_machine(*server, *machine, std::move(settings))) fmt::print(stderr, "nvmlkit: {} is down\n", state);
  return 0;
}

}  // namespace

Command serve_command() {
  return {
      .name = "serve",
      .summary = "Show and steer a machine on a page in the browser",
      .group = Group::up,
      .details =
          "Curves of each GPU, the topology, MIG devices, processes and the kernel log, live. Faults, loads, values "
          "and "
          "scenarios at a click. The same as an API, which /openapi.json describes, and as /metrics for "
          "Prometheus.\n\n"
          "Only this host reaches the page, and only who has the token of the link sees the machine. With --listen and "
          "a certificate other hosts reach it, too. Without options: "
          "the machine of NVMLKIT_STATE, else the machine of `nvmlkit up` without a name. With -m, -c or -n the "
          "machine is up while the command runs.",
      .examples = {{"nvmlkit serve", "the machine that is up; open the link that is printed"},
                   {"nvmlkit serve -m h100 -n 4", "a machine to try it on"},
                   {"nvmlkit serve --listen 0.0.0.0 --tls-self-signed", "for other hosts; compare the fingerprint"},
                   {"nvmlkit serve --port 9500 --token-file token --open-metrics", "for Prometheus on this host"}},
      .declare = [](Arguments& arguments) -> Action {
        const auto options = std::make_shared<ServeCommandOptions>();
        options->serving.declare(arguments);
        options->machine.declare(arguments);
        return [options] { return serve_page(*options); };
      }};
}

}  // namespace nvmlkit::cli
