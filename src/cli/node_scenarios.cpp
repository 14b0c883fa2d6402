#include "cli/node_scenarios.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace nvmlkit::cli {
namespace {

void tell(const std::string& line) {
  fmt::print("scenario {}\n", line);
  std::fflush(stdout);
}

void complain(const std::string& line) { fmt::print(stderr, "nvmlkit: scenario {}\n", line); }

}  // namespace

NodeScenarios::NodeScenarios(const sim::Machine& machine, const std::filesystem::path& state_folder,
                             node::WatchedFolder& folder, const scenario::NodeIdentity& identity)
    : folder_(folder), shelf_(machine, {identity, state_folder / "scenarios.json", tell, complain}) {}

void NodeScenarios::work() {
  if (folder_.take_changes() || unread_) shelf_.update(folder_.read());
  unread_ = false;
  shelf_.advance();
}

void NodeScenarios::distrust() {
  folder_.watch();
  unread_ = true;
}

}  // namespace nvmlkit::cli
