#include "libraries/nccl/traffic.hpp"

namespace nvmlkit::nccl {
namespace {

// How much goes to the next rank and comes from the one before.
struct Round {
  std::uint64_t sent, received;
};

Round round_of(const Operation& o, int rank, int ranks) {
  const auto n = static_cast<std::uint64_t>(ranks);
  const auto size = o.count * size_of(o.type);
  const auto of_root = [&](int distance) { return (o.root + distance + ranks) % ranks; };
  switch (o.kind) {
    case Kind::all_reduce:
      return {2 * (n - 1) * size / n, 2 * (n - 1) * size / n};
    case Kind::all_gather:
    case Kind::reduce_scatter:
      return {(n - 1) * size, (n - 1) * size};
    case Kind::broadcast:  // from the root to the rank before it
      return {rank == of_root(-1) ? 0 : size, rank == o.root ? 0 : size};
    case Kind::reduce:  // from the rank behind the root to the root
      return {rank == o.root ? 0 : size, rank == of_root(1) ? 0 : size};
    default:
      return {0, 0};
  }
}

// The parts between each two ranks.
Moved between(const Operation& o, int rank, int peer) {
  const auto size = o.count * size_of(o.type);
  switch (o.kind) {
    case Kind::all_to_all:
      return {peer, size, size};
    case Kind::gather:
      return {peer, peer == o.root ? size : 0, rank == o.root ? size : 0};
    case Kind::scatter:
      return {peer, rank == o.root ? size : 0, peer == o.root ? size : 0};
    case Kind::send:
      return {peer, peer == o.root ? size : 0, 0};
    case Kind::receive:
      return {peer, 0, peer == o.root ? size : 0};
    default:
      return {peer, 0, 0};
  }
}

}  // namespace

std::vector<Moved> moved_by(const Operation& operation, int rank, int ranks) {
  std::vector<Moved> out;
  if (ranks == 1) return out;
  const auto round = round_of(operation, rank, ranks);
  if (round.sent > 0) out.push_back({(rank + 1) % ranks, round.sent, 0});
  if (round.received > 0) out.push_back({(rank + ranks - 1) % ranks, 0, round.received});
  for (int peer = 0; peer < ranks; ++peer) {
    const auto moved = between(operation, rank, peer);
    if (peer != rank && moved.sent + moved.received > 0) out.push_back(moved);
  }
  return out;
}

}  // namespace nvmlkit::nccl
