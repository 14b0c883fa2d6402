#include "libraries/nccl/peers.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "storage/process.hpp"

namespace nvmlkit::nccl {
namespace {

using namespace std::chrono_literals;
constexpr auto kMostWait = 10ms;

bool send_some(Peer& peer) {
  const auto bytes = peer.sent->ready();
  if (bytes.empty() || peer.is_closed) return false;
  const auto count = send(peer.socket.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count > 0) peer.sent->release(static_cast<std::uint64_t>(count));
  if (count < 0 && errno != EAGAIN && errno != EINTR) peer.is_closed = true;
  return count > 0;
}

bool receive_some(Peer& peer) {
  const auto room = peer.received->space();
  if (room.empty() || peer.is_closed) return false;
  const auto count = recv(peer.socket.fd(), room.data(), room.size(), MSG_DONTWAIT);
  if (count > 0) peer.received->commit(static_cast<std::uint64_t>(count));
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) peer.is_closed = true;
  return count > 0;
}

bool has_ended(const Peer& peer) {
  if (peer.pid == static_cast<std::uint32_t>(getpid())) return false;
  const auto stat = storage::stat_of(peer.pid);
  return !stat || stat->start != peer.process_start || stat->state == 'Z' || stat->state == 'X';
}

}  // namespace

bool Peers::has_sockets() const {
  return std::any_of(all.begin(), all.end(), [](const auto& peer) { return static_cast<bool>(peer.socket); });
}

bool Peers::pump() {
  bool moved = false;
  for (auto& peer : all) {
    if (!peer.socket) continue;
    moved |= send_some(peer);
    moved |= receive_some(peer);
  }
  return moved;
}

bool Peers::is_flushed() const {
  return std::all_of(all.begin(), all.end(), [](const auto& peer) { return !peer.socket || peer.sent->is_empty(); });
}

void Peers::tell(int peer) const {
  const auto& other = all[static_cast<std::size_t>(peer)];
  if (peer == rank)
    own.ring();
  else if (other.segment)
    other.segment.ring();
}

void Peers::wait(std::uint32_t rung) const {
  if (has_sockets())
    wait_for_sockets();
  else
    own.wait(rung, kMostWait);
}

void Peers::wait_for_sockets() const {
  std::vector<pollfd> fds;
  bool has_rings = false;
  for (const auto& peer : all) {
    has_rings |= static_cast<bool>(peer.segment);
    if (!peer.socket || peer.is_closed) continue;
    const bool sends = !peer.sent->is_empty();
    fds.push_back({peer.socket.fd(), static_cast<short>(POLLIN | (sends ? POLLOUT : 0)), 0});
  }
  // A ring wakes nobody who waits for sockets.
  poll(fds.data(), fds.size(), has_rings ? 1 : 10);
}

bool Peers::is_gone(int peer) const {
  if (peer == rank) return false;
  const auto& other = all[static_cast<std::size_t>(peer)];
  if (other.socket) return other.is_closed;
  return other.segment.bell().standing.load() != Standing::works || has_ended(other);
}

void Peers::stand(Standing standing) {
  if (own) own.bell().standing.store(standing);
  for (auto& peer : all) {
    if (peer.segment) peer.segment.ring();
    peer.socket.shut_down();
  }
}

}  // namespace nvmlkit::nccl
