#include "mps/daemon.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <utility>

#include "mps/commands.hpp"
#include "mps/spawn.hpp"

namespace nvmlkit::mps {
namespace {

constexpr std::size_t kLongestLine = 1 << 16;

long now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

Daemon::Daemon(int listener, int signals, std::string server_program, Settings defaults, Division division, Log log)
    : listener_(listener),
      signals_(signals),
      server_program_(std::move(server_program)),
      defaults_(std::move(defaults)),
      division_(division),
      log_(std::move(log)) {}

Daemon::~Daemon() {
  for (const auto& peer : peers_) close(peer.connection);
  for (const auto& [pid, server] : servers_) {
    if (server.ready >= 0) close(server.ready);
    close(server.lifeline);
  }
}

void Daemon::run() {
  while (!ended_) {
    std::vector<pollfd> waiting = {{listener_, POLLIN, 0}, {signals_, POLLIN, 0}};
    for (const auto& peer : peers_) waiting.push_back({peer.connection, POLLIN, 0});
    for (const auto& [pid, server] : servers_)
      if (server.ready >= 0) waiting.push_back({server.ready, POLLIN, 0});
    const auto left = quit_by_ms_ < 0 ? -1 : std::max(quit_by_ms_ - now_ms(), 0L);
    if (poll(waiting.data(), waiting.size(), static_cast<int>(left)) < 0) continue;
    const auto has_news = [&](int descriptor) {
      return std::any_of(waiting.begin(), waiting.end(),
                         [&](const pollfd& one) { return one.fd == descriptor && one.revents != 0; });
    };
    for (auto& peer : peers_)
      if (has_news(peer.connection)) read_from(peer);
    for (auto& [pid, server] : servers_)
      if (server.ready >= 0 && has_news(server.ready)) note_ready(server);
    if (has_news(signals_)) handle_signal();
    if (has_news(listener_)) accept_peer();
    close_peers();
    serve_waiting();
    end_leaving();
    advance_quit();
  }
}

void Daemon::accept_peer() {
  const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return;
  ucred who{};
  socklen_t size = sizeof who;
  log_.line("Accepting connection...");
  // A daemon of a user serves that user.
  const bool known = getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
  if (!known || quitting_ || (geteuid() != 0 && who.uid != geteuid())) {
    close(connection);
    return;
  }
  Peer peer;
  peer.connection = connection;
  peer.pid = who.pid;
  peer.user = who.uid;
  peers_.push_back(std::move(peer));
}

void Daemon::read_from(Peer& peer) {
  char buffer[4096];
  const auto got = recv(peer.connection, buffer, sizeof buffer, MSG_DONTWAIT);
  if (got < 0) return;
  peer.received.append(buffer, static_cast<std::size_t>(got));
  if (got == 0 || peer.received.size() > kLongestLine) {
    close(std::exchange(peer.connection, -1));
    if (!peer.is_client) return;
    log_.line("Client " + std::to_string(peer.pid) + " disconnected");
    return;
  }
  if (peer.is_client || peer.is_quitting) return;
  if (const auto end = peer.received.find('\n'); end != std::string::npos) {
    const auto line = peer.received.substr(0, end);
    peer.received.clear();
    take_line(peer, line);
  }
}

void Daemon::take_line(Peer& peer, const std::string& line) {
  if (const auto hello = hello_of(line)) {
    peer.is_client = true;
    peer.devices = hello->devices;
    peer.partitions = hello->partitions;
    log_.line("NEW CLIENT " + std::to_string(peer.pid) + " from user " + std::to_string(peer.user) +
              (find_server(server_for(peer.user)) ? ": Server is found" : ": push client to pending list"));
    return;
  }
  log_.line("NEW UI");
  log_.line("Cmd:" + line);
  const auto answer = answer_to(line, *this, peer);
  if (peer.is_quitting) return;
  send_text(peer.connection, answer);
  close(std::exchange(peer.connection, -1));
  log_.line("UI closed");
}

void Daemon::serve_waiting() {
  for (auto& peer : peers_) {
    if (!peer.is_client || peer.server != 0 || peer.connection < 0) continue;
    const auto* server = find_server(server_for(peer.user));
    if (server != nullptr && server->ready < 0) grant(peer, *server);
  }
  close_peers();
}

void Daemon::grant(Peer& peer, const Server& server) {
  Grant grant{server.pid, server.settings.percent, {}, server.settings.limits};
  if (division_ == Division::statically) {
    auto shares = partitions_.shares(gpus(), peer.partitions, peer.devices);
    if (!shares) {
      log_.line("Client " + std::to_string(peer.pid) + " has no valid SM partition");
      send_line(peer.connection, kNoPartitionLine);
      close(std::exchange(peer.connection, -1));
      return;
    }
    peer.shares = *shares;
    grant.shares = std::move(*shares);
    grant.percent = 100;
  }
  peer.server = server.pid;
  if (!send_line(peer.connection, line_of(grant))) close(std::exchange(peer.connection, -1));
}

bool Daemon::terminate_client(pid_t server, pid_t client) {
  bool found = false;
  for (auto& peer : peers_) {
    if (!peer.is_client || peer.server != server || peer.pid != client || peer.connection < 0) continue;
    found = true;
    log_.line("Terminating client " + std::to_string(client));
    if (!send_line(peer.connection, kTerminatedLine)) close(std::exchange(peer.connection, -1));
  }
  return found;
}

std::vector<std::string> Daemon::partitions_in_use() const {
  std::vector<std::string> names;
  for (const auto& peer : peers_)
    if (peer.connection >= 0)
      for (const auto& share : peer.shares) names.push_back(share.device + "/" + share.id);
  return names;
}

const GpuList& Daemon::gpus() {
  if (!gpus_) {
    const auto text = list_gpus(server_program_);
    auto list = text ? gpus_of(*text) : std::nullopt;
    if (!list) {
      static const GpuList kNone;
      return kNone;
    }
    gpus_ = std::move(*list);
  }
  return *gpus_;
}

Server* Daemon::find_server(pid_t pid) {
  const auto at = servers_.find(pid);
  return at == servers_.end() || at->second.leaving ? nullptr : &at->second;
}

std::vector<const Peer*> Daemon::clients_of(pid_t server) const {
  std::vector<const Peer*> clients;
  for (const auto& peer : peers_)
    if (peer.is_client && peer.server == server && peer.connection >= 0) clients.push_back(&peer);
  return clients;
}

bool Daemon::has_clients() const {
  return std::any_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.is_client; });
}

// One user at a time has a server. Another user's server goes when its last client has gone.
pid_t Daemon::server_for(uid_t user) {
  for (auto& [pid, server] : servers_) {
    if (!server.leaving && server.user == user) return pid;
    if (!clients_of(pid).empty()) return 0;
    shut_down(server, false);
  }
  if (!servers_.empty() || quitting_) return 0;
  return start_server(user);
}

pid_t Daemon::start_server(uid_t user) {
  const auto started = spawn_server(server_program_, user);
  if (!started) {
    log_.line("Failed to start a server for user " + std::to_string(user));
    return 0;
  }
  log_.line("Starting new server " + std::to_string(started->pid) + " for user " + std::to_string(user));
  Server server;
  server.pid = started->pid;
  server.user = user;
  server.settings = defaults_;
  server.ready = started->ready;
  server.lifeline = started->lifeline;
  servers_.emplace(started->pid, std::move(server));
  return started->pid;
}

void Daemon::note_ready(Server& server) {
  char byte = 0;
  const auto got = read(server.ready, &byte, 1);
  close(std::exchange(server.ready, -1));
  if (got == 1) {
    log_.line("NEW SERVER " + std::to_string(server.pid) + ": Ready");
    return;
  }
  // It has ended without GPUs. Its clients cannot wait for another one, which would end alike.
  server.leaving = true;
  for (auto& peer : peers_)
    if (peer.is_client && peer.server == 0 && peer.user == server.user && peer.connection >= 0)
      close(std::exchange(peer.connection, -1));
}

void Daemon::shut_down(Server& server, bool now) {
  if (now)
    for (auto& peer : peers_)
      if (peer.is_client && peer.server == server.pid && peer.connection >= 0)
        close(std::exchange(peer.connection, -1));
  server.leaving = true;
}

void Daemon::end_leaving() {
  for (auto& [pid, server] : servers_)
    if (server.leaving && !std::exchange(server.told, server.told || clients_of(pid).empty()) && server.told)
      kill(pid, SIGTERM);
}

void Daemon::handle_signal() {
  signalfd_siginfo info{};
  if (read(signals_, &info, sizeof info) != sizeof info) return;
  if (info.ssi_signo == SIGCHLD)
    reap();
  else
    ended_ = true;
}

void Daemon::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto at = servers_.find(pid);
    if (at == servers_.end()) continue;
    if (at->second.ready >= 0) note_ready(at->second);
    log_.line("Server " + std::to_string(pid) + " exited with status " + std::to_string(WEXITSTATUS(status)));
    close(at->second.lifeline);
    for (auto& peer : peers_)
      if (peer.is_client && peer.server == pid && peer.connection >= 0) close(std::exchange(peer.connection, -1));
    servers_.erase(at);
  }
}

void Daemon::close_peers() {
  std::erase_if(peers_, [](const Peer& peer) { return peer.connection < 0; });
}

void Daemon::quit(Peer& asking, int seconds) {
  asking.is_quitting = quitting_ = true;
  if (seconds >= 0) quit_by_ms_ = now_ms() + 1000L * seconds;
}

// The daemon ends when no client is left, or at the end of the time that they were given.
void Daemon::advance_quit() {
  if (!quitting_ || (has_clients() && (quit_by_ms_ < 0 || now_ms() < quit_by_ms_))) return;
  for (auto& [pid, server] : servers_) kill(pid, SIGTERM);
  for (const auto& [pid, server] : servers_) waitpid(pid, nullptr, 0);
  log_.line("Exit");
  ended_ = true;
}

}  // namespace nvmlkit::mps
