// A domain as nvidia-imex-ctl shows it: what the service of each node of the list says.
#pragma once

#include <string>
#include <vector>

#include "imex/states.hpp"

namespace nvmlkit::imex {

struct NodeView {
  std::string host;
  std::string status{kUnavailable}, version, name_of_host;
  std::vector<Connection> connections;  // to the nodes of the list, in its order
};

// Asks each node at its port for commands.
std::vector<NodeView> ask_nodes(const std::vector<std::string>& nodes, int port);

// UP: all nodes are ready and connected. DEGRADED: at least two are, to each other. DOWN otherwise.
std::string state_of(const std::vector<NodeView>& nodes);

std::string as_text(const std::vector<NodeView>& nodes, const std::string& time, bool with_names);
std::string as_json(const std::vector<NodeView>& nodes, const std::string& time, bool with_names);

}  // namespace nvmlkit::imex
