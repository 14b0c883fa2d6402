// The scenarios of a node: the files of a folder, running on its machine.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

#include "node/watched_folder.hpp"
#include "scenario/shelf.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

class NodeScenarios {
 public:
  // Remembers in a file of `state_folder` what was done. The machine and the folder outlive it.
  NodeScenarios(const sim::Machine& machine, const std::filesystem::path& state_folder, node::WatchedFolder& folder,
                const scenario::NodeIdentity& identity);

  // Reads the folder if it has changed, and does what is due.
  void work();
  // The next work() reads the folder.
  void distrust();
  std::optional<std::chrono::milliseconds> next() const { return shelf_.next(); }
  std::vector<scenario::ShelfStatus> status() const { return shelf_.status(); }

 private:
  node::WatchedFolder& folder_;
  scenario::Shelf shelf_;
  bool unread_ = true;
};

}  // namespace nvmlkit::cli
