// nvidia-imex: a node of an IMEX domain. Other nodes connect to its port; nvidia-imex-ctl asks it at the port or the
// Unix socket for commands, one line for each connection:
//
//   status   ->  READY
//   node     ->  READY <tab> version <tab> name of the host <tab> CONNECTED,RECOVERING,...
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "imex/config.hpp"
#include "imex/driver.hpp"
#include "imex/net.hpp"
#include "imex/peers.hpp"

namespace nvmlkit::imex {

class Service {
 public:
  // Without a driver (--nogpu) its version is NO_GPU. The address is that of the configuration, or the own one of the
  // list.
  Service(Config config, std::vector<std::string> nodes, std::optional<Driver> driver, Peers::Log log);

  // False where a port is not free; a line says so.
  bool listen(const std::string& address);
  // Until a signal ends it. `signals`: a signalfd of SIGTERM, SIGINT and SIGUSR1.
  void run(int signals);

 private:
  std::string status() const;
  std::string answer(const std::string& command) const;
  void greet(const Socket& connection) const;
  void advance();
  bool listen_for_commands();

  Config config_;
  std::optional<Driver> driver_;
  Peers::Log log_;
  Hello hello_;
  Peers peers_;
  Socket for_nodes_, for_commands_, for_commands_here_;
  std::atomic<bool> has_fabric_ = false, had_quorum_ = false;
};

}  // namespace nvmlkit::imex
