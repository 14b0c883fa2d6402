#include "imex/service.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

namespace nvmlkit::imex {
namespace {

constexpr int kLineSeconds = 5;  // that the other side has for its line

// Each connection has a thread: there are few, and each waits for the other side.
template <class Handler>
void accept_one(const Socket& listener, Handler handle) {
  Socket connection(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (connection) std::thread([connection = std::move(connection), handle] { handle(connection); }).detach();
}

std::string name_of_host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

Service::Service(Config config, std::vector<std::string> nodes, std::optional<Driver> driver, Peers::Log log)
    : config_(std::move(config)),
      driver_(std::move(driver)),
      log_(std::move(log)),
      hello_{driver_ ? driver_->version() : "NO_GPU", map_of(nodes)},
      peers_(std::move(nodes), config_.port, hello_, config_.grace_seconds, log_) {}

bool Service::listen(const std::string& address) {
  for_nodes_ = listen_at(address, config_.port);
  if (for_nodes_) return listen_for_commands();
  log_("cannot listen at " + address + ":" + std::to_string(config_.port) + ": " + std::strerror(errno));
  return false;
}

bool Service::listen_for_commands() {
  if (!config_.takes_commands) return true;
  if (config_.command_port > 0) for_commands_ = listen_at(config_.command_address, config_.command_port);
  if (config_.command_port > 0 && !for_commands_)
    return log_("cannot listen at " + config_.command_address + ":" + std::to_string(config_.command_port) + ": " +
                std::strerror(errno)),
           false;
  if (!config_.command_socket.empty()) for_commands_here_ = listen_at_path(config_.command_socket);
  if (!config_.command_socket.empty() && !for_commands_here_)
    return log_("cannot listen at " + config_.command_socket + ": " + std::strerror(errno)), false;
  return true;
}

std::string Service::status() const {
  if (config_.quorum == "FULL" && !had_quorum_) return std::string(kWaitingForPeers);
  return std::string(has_fabric_ ? kReady : kInitGpu);
}

std::string Service::answer(const std::string& command) const {
  if (command == "status") return status() + "\n";
  if (command != "node") return "unknown command\n";
  std::string connections;
  for (const auto state : peers_.states())
    connections += (connections.empty() ? "" : ",") + std::string(name_of(state));
  return status() + "\t" + hello_.version + "\t" + name_of_host() + "\t" + connections + "\n";
}

// Another node has connected. It sees the end of this one by the end of the connection.
void Service::greet(const Socket& connection) const {
  const auto line = receive_line(connection, kLineSeconds);
  if (!line || !send_text(connection, line_of(hello_)) || judge(hello_, *line) != Connection::connected) return;
  while (receive_line(connection, -1)) {
  }
}

void Service::advance() {
  if (!had_quorum_ && (config_.quorum != "FULL" || peers_.are_all_connected())) had_quorum_ = true;
  if (has_fabric_ || !had_quorum_ || (driver_ && !driver_->has_fabric())) return;
  has_fabric_ = true;
  log_("GPU event successfully subscribed");
}

void Service::run(int signals) {
  if (config_.quorum != "FULL")
    log_("IMEX_WAIT_FOR_QUORUM != FULL, continuing initialization without waiting for connections to all nodes.");
  peers_.start();
  for (;;) {
    advance();
    std::array<pollfd, 4> entries{{{signals, POLLIN, 0},
                                   {for_nodes_.get(), POLLIN, 0},
                                   {for_commands_.get(), POLLIN, 0},
                                   {for_commands_here_.get(), POLLIN, 0}}};
    if (poll(entries.data(), entries.size(), has_fabric_ ? -1 : 500) <= 0) continue;
    if (entries[0].revents != 0) {
      signalfd_siginfo signal{};
      if (read(signals, &signal, sizeof signal) == sizeof signal && signal.ssi_signo != SIGUSR1) break;
      peers_.look_again();
    }
    if (entries[1].revents != 0) accept_one(for_nodes_, [this](const Socket& connection) { greet(connection); });
    for (const auto* listener : {&for_commands_, &for_commands_here_}) {
      if (entries.at(listener == &for_commands_ ? 2 : 3).revents == 0) continue;
      accept_one(*listener, [this](const Socket& connection) {
        if (const auto line = receive_line(connection, kLineSeconds)) send_text(connection, answer(*line));
      });
    }
  }
  if (!config_.command_socket.empty()) unlink(config_.command_socket.c_str());
}

}  // namespace nvmlkit::imex
