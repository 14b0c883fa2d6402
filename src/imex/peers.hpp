// The connections from this node to all nodes of the list, itself among them. A thread keeps each: it connects, says
// hello, and waits until the connection ends.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "imex/net.hpp"
#include "imex/states.hpp"

namespace nvmlkit::imex {

// What two nodes say to each other when they connect.
struct Hello {
  std::string version;
  std::string map;  // of the list of nodes: equal where the lists are
};
std::string line_of(const Hello& hello);
// How a node with `own` sees one that said this.
Connection judge(const Hello& own, const std::string& line);
std::string map_of(const std::vector<std::string>& nodes);

class Peers {
 public:
  using Log = std::function<void(const std::string&)>;
  Peers(std::vector<std::string> nodes, int port, Hello hello, int grace_seconds, Log log);

  // Its threads run until the process ends, so the object has to live as long.
  void start();
  // Every name is looked up again, and every node is connected anew.
  void look_again();
  std::vector<Connection> states() const;
  bool are_all_connected() const;

 private:
  struct Peer {
    std::string host;
    Socket wake;  // an eventfd
    Connection state = Connection::never;
    int times = 0;
    std::chrono::steady_clock::time_point lost{};
  };
  void keep(std::size_t index);
  void connect_once(std::size_t index);
  void set(Peer& peer, Connection state);

  std::vector<std::unique_ptr<Peer>> peers_;
  int port_;
  Hello hello_;
  int grace_seconds_;
  Log log_;
  mutable std::mutex mutex_;  // of states and times
};

}  // namespace nvmlkit::imex
