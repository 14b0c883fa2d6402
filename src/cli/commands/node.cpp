// nvmlkit node
#include "cli/node.hpp"

#include <memory>

#include "cli/commands.hpp"

namespace nvmlkit::cli {

namespace {

constexpr const char* kDetails =
    "Does what `nvmlkit root` does and stays. New MIG devices get their nodes, capabilities and CDI devices; a GPU "
    "that falls off the bus loses its own until it is healed. Every file is replaced at once and as a whole.\n\n"
    "The machine of a root stays when the command is started again, also after it was killed, with the same options "
    "and variables or with none. With others (`-m`, `-c`, `-n`, `--driver`, a changed machine file, NVMLKIT_SEED, "
    "NVMLKIT_TIME) a new machine takes its place, and one line says so. SIGTERM ends the command and leaves the root; "
    "SIGHUP lets it look at every file again.";

void declare_scenarios(Arguments& arguments, NodeOptions& options) {
  arguments
      .option("--scenarios", Kind::folder, options.scenarios,
              "A folder whose scenarios (*.yaml) run on the machine; files may come, change and go")
      .default_text("none");
  auto served =
      arguments.option("--metrics", Kind::text, options.metrics,
                       "Serve the machine as it truly is for Prometheus, at http://ADDRESS:PORT/metrics; PORT alone: "
                       "only on this host");
  served.label("[ADDRESS:]PORT").default_text("not at all");
  arguments
      .option("--metrics-names", Kind::text, options.metrics_names,
              "The names of the metrics: those of this guide, those of dcgm-exporter, or both")
      .only({"nvmlkit", "dcgm", "both"})
      .default_text("nvmlkit")
      .needs(served);
  options.identity.declare(arguments);
}

}  // namespace

Command node_command() {
  return {.name = "node",
          .summary = "Lay out a driver root, and keep it true while its machine changes",
          .group = Group::real,
          .details = kDetails,
          .examples = {{"nvmlkit node /var/lib/gpus -m h100 --cdi-dir /etc/cdi", "a node with eight H100"},
                       {"nvmlkit node /tmp/gpus --name test-7 --remove",
                        "the machine that is up; nothing is left at the end"},
                       {"nvmlkit node /tmp/gpus -m h100 --scenarios outages --metrics 9411",
                        "scenarios break its GPUs, and metrics show the truth"},
                       {"nvmlkit fault gpu=2 off-bus --state /var/lib/gpus/run/nvmlkit/state",
                        "in another shell: GPU 2 leaves the node"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<NodeOptions>();
            arguments
                .argument("DIR", Kind::folder, options->root.folder,
                          "A new or empty folder, or one that this command or `nvmlkit root` made")
                .required();
            const auto ready = arguments
                                   .option("--ready-file", Kind::file, options->ready_file,
                                           "A file with the PID, made when the root is true, or with the problem that "
                                           "keeps it from that; the socket of NOTIFY_SOCKET gets READY=1, too")
                                   .default_text("none");
            arguments
                .option("--kernel-log", Kind::file, options->kernel_log,
                        "Where the messages of the kernel modules go, as with `nvmlkit kernel-log --output`")
                .default_text("nowhere");
            arguments
                .option(
                    "--validations", Kind::folder, options->notices.validations,
                    "A folder where components of NVIDIA's GPU operator wait for the files of a driver that is ready")
                .default_text("none");
            arguments
                .option("--features", Kind::file, options->notices.features,
                        "A file for Node Feature Discovery, with the labels of its PCI devices")
                .default_text("none");
            arguments
                .option("--linger", options->linger,
                        "Seconds for which a problem that ends the command stays in the file of --ready-file, where "
                        "`nvmlkit status --ready-file` finds it")
                .label("SECONDS")
                .default_text("0")
                .needs(ready);
            arguments
                .option("--refuse", Kind::text, options->refuse,
                        "End with this line: for a host that is known to be set up wrongly, such as by a label")
                .label("REASON")
                .default_text("none");
            arguments.flag("--no-real-driver", options->no_real_driver, "Refuse a host with NVIDIA's kernel driver");
            arguments.flag("--remove", options->remove, "Remove the root and these files at SIGTERM");
            declare_scenarios(arguments, *options);
            declare_root(arguments, options->root);
            return [options] { return keep_node(*options); };
          }};
}

}  // namespace nvmlkit::cli
