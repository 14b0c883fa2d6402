// A node: a driver root that follows its machine.
#pragma once

#include <cstdint>
#include <string>

#include "cli/node_identity.hpp"
#include "cli/node_notices.hpp"
#include "cli/root.hpp"

namespace nvmlkit::cli {

struct NodeOptions {
  RootOptions root;
  std::string ready_file;  // empty: none
  std::string kernel_log;  // empty: none
  bool remove = false;     // the root, at the end
  NoticeOptions notices;
  bool no_real_driver = false;  // refuse where there is one
  std::string refuse;           // a reason to end at once; empty: none
  std::uint32_t linger = 0;     // seconds that the last problem stays in the ready file
  std::string scenarios;        // a folder; empty: none
  std::string metrics;          // ADDRESS:PORT; empty: none
  std::string metrics_names = "nvmlkit";
  NodeIdentityOptions identity;
};

// Returns at SIGTERM or SIGINT, with the exit status.
int keep_node(const NodeOptions& options);

}  // namespace nvmlkit::cli
