#include "imex/peers.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <thread>
#include <utility>

namespace nvmlkit::imex {
namespace {

constexpr const char* kGreeting = "imex ";
constexpr int kSeconds = 5;  // that a node has to answer
constexpr int kFirstPauseMs = 250, kLongestPauseMs = 4000;

// True: the wake was written, and is empty again. Until then, or the end of the time; negative: for ever.
bool wait_for_wake(const Socket& wake, int milliseconds) {
  pollfd entry{wake.get(), POLLIN, 0};
  if (poll(&entry, 1, milliseconds) <= 0) return false;
  std::uint64_t count = 0;
  return read(wake.get(), &count, sizeof count) == sizeof count;
}

// Until the other side has gone, or the wake is written.
void wait_for_end(const Socket& connection, const Socket& wake) {
  for (;;) {
    std::array<pollfd, 2> entries{{{connection.get(), POLLIN, 0}, {wake.get(), POLLIN, 0}}};
    if (poll(entries.data(), entries.size(), -1) < 0) continue;
    if (entries[1].revents != 0) return static_cast<void>(wait_for_wake(wake, 0));
    std::array<char, 256> bytes{};
    if (entries[0].revents != 0 && recv(connection.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) <= 0) return;
  }
}

}  // namespace

std::string line_of(const Hello& hello) { return kGreeting + hello.version + " " + hello.map + "\n"; }

Connection judge(const Hello& own, const std::string& line) {
  const std::string start = kGreeting + own.version + " ";
  if (line.rfind(kGreeting, 0) != 0 || line.rfind(start, 0) != 0) return Connection::version_mismatch;
  return line.substr(start.size()) == own.map ? Connection::connected : Connection::map_mismatch;
}

// FNV-1a of the list.
std::string map_of(const std::vector<std::string>& nodes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const auto& node : nodes)
    for (const char byte : node + "\n") hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return std::to_string(hash);
}

Peers::Peers(std::vector<std::string> nodes, int port, Hello hello, int grace_seconds, Log log)
    : port_(port), hello_(std::move(hello)), grace_seconds_(grace_seconds), log_(std::move(log)) {
  for (auto& node : nodes) {
    peers_.push_back(std::make_unique<Peer>());
    peers_.back()->host = std::move(node);
    peers_.back()->wake = Socket(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  }
}

void Peers::start() {
  for (std::size_t i = 0; i < peers_.size(); ++i) std::thread([this, i] { keep(i); }).detach();
}

void Peers::look_again() {
  const std::uint64_t one = 1;
  for (const auto& peer : peers_)
    if (write(peer->wake.get(), &one, sizeof one) != sizeof one) continue;  // it is full, so it is written
}

void Peers::set(Peer& peer, Connection state) {
  const std::lock_guard lock(mutex_);
  if (state == Connection::recovering && peer.state != Connection::recovering)
    peer.lost = std::chrono::steady_clock::now();
  peer.state = state;
}

void Peers::keep(std::size_t index) {
  for (int pause = kFirstPauseMs;; pause = std::min(2 * pause, kLongestPauseMs)) {
    const int times = peers_[index]->times;
    connect_once(index);
    if (peers_[index]->times != times) pause = kFirstPauseMs;
    if (wait_for_wake(peers_[index]->wake, pause)) pause = kFirstPauseMs;
  }
}

void Peers::connect_once(std::size_t index) {
  auto& peer = *peers_[index];
  const auto connection = connect_to(peer.host, port_, kSeconds);
  if (!connection || !send_text(connection, line_of(hello_))) return;
  const auto answer = receive_line(connection, kSeconds);
  if (!answer) return;
  const auto state = judge(hello_, *answer);
  set(peer, state);
  const auto name = "node " + std::to_string(index) + " with ip address " + peer.host;
  if (state != Connection::connected) return log_(std::string(name_of(state)) + ": " + name);
  log_("Connection established to " + name + ". Number of times connected: " + std::to_string(++peer.times));
  wait_for_end(connection, peer.wake);
  set(peer, Connection::recovering);
  log_("Connection lost to " + name);
}

std::vector<Connection> Peers::states() const {
  const auto now = std::chrono::steady_clock::now();
  std::vector<Connection> out;
  const std::lock_guard lock(mutex_);
  for (const auto& peer : peers_) {
    const bool is_over = peer->state == Connection::recovering && grace_seconds_ >= 0 &&
                         now - peer->lost >= std::chrono::seconds(grace_seconds_);
    out.push_back(is_over ? Connection::disconnected : peer->state);
  }
  return out;
}

bool Peers::are_all_connected() const {
  const auto all = states();
  return std::all_of(all.begin(), all.end(), [](Connection state) { return state == Connection::connected; });
}

}  // namespace nvmlkit::imex
