#include "cli/node_identity.hpp"

#include <cstdlib>

#include "cli/command_error.hpp"
#include "sim/config/read_file.hpp"

namespace nvmlkit::cli {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

void NodeIdentityOptions::declare(Arguments& arguments) {
  arguments.section("The node, for scenarios that choose nodes");
  arguments.option("--node-name", Kind::text, name_, "Its name")
      .label("NAME")
      .default_text("NVMLKIT_NODE_NAME, else a node that every choice names");
  arguments.option("--node-label", Kind::text, labels_, "A label of it; several times for several labels")
      .label("KEY=VALUE")
      .default_text("none");
  arguments
      .option("--node-labels", Kind::file, labels_file_,
              "More labels: a file with lines KEY=\"VALUE\", as the downward API of Kubernetes mounts it")
      .default_text("NVMLKIT_NODE_LABELS, else none");
}

scenario::NodeIdentity NodeIdentityOptions::identity() const {
  scenario::NodeIdentity out;
  out.name = name_.empty() ? variable("NVMLKIT_NODE_NAME") : name_;
  const auto file = labels_file_.empty() ? variable("NVMLKIT_NODE_LABELS") : labels_file_;
  if (!file.empty()) accept(scenario::add_labels_of_file(file, value_of(sim::config::read_file(file)), out));
  for (const auto& label : labels_)
    if (auto added = scenario::add_label(label, out); !added)
      throw CommandError(of_argument("--node-label", std::move(added.error())));
  out.known = !out.name.empty() || !out.labels.empty();
  return out;
}

}  // namespace nvmlkit::cli
