#include "libraries/nccl/exchange.hpp"

#include <algorithm>

#include "libraries/nccl/log.hpp"
#include "libraries/nccl/reduce.hpp"

namespace nvmlkit::nccl {
namespace {

using namespace std::chrono_literals;
constexpr auto kLookEvery = 5ms;
constexpr auto kCheckEvery = 50ms;

std::uint64_t padding(std::uint64_t size) { return (kRingGrain - size % kRingGrain) % kRingGrain; }

std::string text_of(const Header& header) {
  constexpr const char* kTypes[] = {"int8",    "uint8",   "int32",   "uint32",   "int64",      "uint64",
                                    "float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2"};
  constexpr const char* kOperators[] = {"sum", "prod", "max", "min", "avg", "premulsum"};
  std::string out = std::string(name_of(header.kind)) + " of " + std::to_string(header.count) + " " +
                    (header.type < ncclNumTypes ? kTypes[header.type] : "?");
  const bool reduces =
      header.kind == Kind::all_reduce || header.kind == Kind::reduce || header.kind == Kind::reduce_scatter;
  if (reduces && header.by <= ncclNumOps) out += std::string(", ") + kOperators[header.by];
  const bool has_root = header.kind == Kind::broadcast || header.kind == Kind::reduce || header.kind == Kind::gather ||
                        header.kind == Kind::scatter;
  if (has_root) out += ", root " + std::to_string(header.root);
  if (!is_between_two(header.kind)) out += " (operation " + std::to_string(header.operation) + ")";
  return out;
}

bool fits(const Header& a, const Header& b) {
  return a.magic == b.magic && a.kind == b.kind && a.type == b.type && a.by == b.by && a.root == b.root &&
         a.count == b.count && a.operation == b.operation && a.size == b.size && a.step == b.step;
}

}  // namespace

Exchange::Exchange(Communicator& communicator, std::function<void()> look)
    : communicator_(communicator),
      peers_(communicator.peers),
      look_(std::move(look)),
      sends_(static_cast<std::size_t>(communicator.ranks)),
      receives_(static_cast<std::size_t>(communicator.ranks)) {}

void Exchange::send(int peer, const Header& header, const std::byte* bytes) {
  sends_[static_cast<std::size_t>(peer)].push_back({header, bytes, nullptr, 0, false});
}

void Exchange::receive(int peer, const Header& expected, std::byte* bytes) {
  receives_[static_cast<std::size_t>(peer)].push_back({expected, nullptr, bytes, 0, false});
}

void Exchange::combine(const Header& expected, const std::byte* own, std::byte* to) {
  reduction_ = {true, expected, own, to, 0};
  for (int peer = 0; peer < communicator_.ranks; ++peer)
    if (peer != communicator_.rank) receive(peer, expected, nullptr);
}

void Exchange::run() {
  while (!is_done()) {
    const auto rung = peers_.rung();
    const bool moved = progress();
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ >= kLookEvery) {
      looked_ = now;
      check();
    }
    if (moved) {
      checked_ = now;
    } else if (!is_done()) {
      if (now - checked_ >= kCheckEvery) check_peers();
      peers_.wait(rung);
    }
  }
}

bool Exchange::progress() {
  bool moved = peers_.pump();
  for (int peer = 0; peer < communicator_.ranks; ++peer) {
    moved |= progress_send(peer);
    moved |= progress_receive(peer);
  }
  moved |= progress_reduction();
  return moved;
}

bool Exchange::is_done() const {
  const auto is_empty = [](const auto& parts) { return parts.empty(); };
  return std::all_of(sends_.begin(), sends_.end(), is_empty) &&
         std::all_of(receives_.begin(), receives_.end(), is_empty) && !reduction_.is_on && peers_.is_flushed();
}

bool Exchange::progress_send(int peer) {
  auto& parts = sends_[static_cast<std::size_t>(peer)];
  auto& ring = *peers_.all[static_cast<std::size_t>(peer)].to;
  bool moved = false;
  while (!parts.empty()) {
    auto& part = parts.front();
    const auto space = ring.space();
    if (!part.has_begun) {
      if (space.size() < sizeof(Header)) break;
      std::memcpy(space.data(), &part.header, sizeof(Header));
      ring.commit(sizeof(Header));
      part.has_begun = moved = true;
      continue;
    }
    if (part.done == part.header.size) {
      const auto rest = padding(part.header.size);
      if (space.size() < rest) break;
      ring.commit(rest);
      parts.pop_front();
      moved = true;
      continue;
    }
    const auto count = std::min<std::uint64_t>(space.size(), part.header.size - part.done);
    if (count == 0) break;
    std::memcpy(space.data(), part.from + part.done, count);
    ring.commit(count);
    part.done += count;
    moved = true;
  }
  if (moved) peers_.tell(peer);
  return moved;
}

bool Exchange::begin_receive(int peer, Part& part) {
  auto& ring = *peers_.all[static_cast<std::size_t>(peer)].from;
  const auto bytes = ring.ready();
  if (bytes.size() < sizeof(Header)) return false;
  Header found;
  std::memcpy(&found, bytes.data(), sizeof found);
  if (!fits(part.header, found)) refuse(peer, part.header, found);
  ring.release(sizeof found);
  part.has_begun = true;
  return true;
}

// The padding is part of it.
bool Exchange::end_part(int peer, std::deque<Part>& parts) {
  auto& ring = *peers_.all[static_cast<std::size_t>(peer)].from;
  const auto rest = padding(parts.front().header.size);
  if (ring.ready().size() < rest) return false;
  ring.release(rest);
  parts.pop_front();
  return true;
}

bool Exchange::progress_receive(int peer) {
  auto& parts = receives_[static_cast<std::size_t>(peer)];
  auto& ring = *peers_.all[static_cast<std::size_t>(peer)].from;
  bool moved = false;
  while (!parts.empty()) {
    auto& part = parts.front();
    if (!part.has_begun) {
      if (!begin_receive(peer, part)) break;
      moved = true;
      continue;
    }
    if (part.done == part.header.size) {
      if (!end_part(peer, parts)) break;
      moved = true;
      continue;
    }
    if (!part.to) break;  // the reduction takes it
    const auto bytes = ring.ready();
    const auto count = std::min<std::uint64_t>(bytes.size(), part.header.size - part.done);
    if (count == 0) break;
    std::memcpy(part.to + part.done, bytes.data(), count);
    ring.release(count);
    part.done += count;
    moved = true;
  }
  if (moved) peers_.tell(peer);
  return moved;
}

// As many elements as all ranks have sent.
bool Exchange::progress_reduction() {
  auto& r = reduction_;
  if (!r.is_on) return false;
  if (r.done == r.header.size) {
    r.is_on = false;
    return true;
  }
  const auto element = size_of(r.header.type);
  auto count = r.header.size - r.done;
  std::vector<const std::byte*> sources;
  for (int peer = 0; peer < communicator_.ranks; ++peer) {
    if (peer == communicator_.rank) {
      sources.push_back(r.own + r.done);
      continue;
    }
    const auto& parts = receives_[static_cast<std::size_t>(peer)];
    if (parts.empty() || !parts.front().has_begun) return false;
    const auto bytes = peers_.all[static_cast<std::size_t>(peer)].from->ready();
    count = std::min<std::uint64_t>(count, bytes.size());
    sources.push_back(bytes.data());
  }
  count -= count % element;
  if (count == 0) return false;
  nccl::combine(r.header.type, r.header.by, sources, count / element, r.to + r.done);
  r.done += count;
  for (int peer = 0; peer < communicator_.ranks; ++peer) {
    if (peer == communicator_.rank) continue;
    peers_.all[static_cast<std::size_t>(peer)].from->release(count);
    receives_[static_cast<std::size_t>(peer)].front().done += count;
    peers_.tell(peer);
  }
  return true;
}

void Exchange::check() {
  if (communicator_.is_aborted()) throw Ended{ncclSuccess};
  look_();
}

// Nothing moves: is there still someone whom it could come from?
void Exchange::check_peers() {
  checked_ = std::chrono::steady_clock::now();
  for (int peer = 0; peer < communicator_.ranks; ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    const bool is_needed =
        !sends_[at].empty() || !receives_[at].empty() || (peers_.all[at].socket && !peers_.all[at].sent->is_empty());
    if (!is_needed || !peers_.is_gone(peer) || progress()) continue;
    log::warn(communicator_.device, "rank %d of %d : rank %d has ended, failed or aborted", communicator_.rank,
              communicator_.ranks, peer);
    throw Ended{ncclRemoteError};
  }
}

void Exchange::refuse(int peer, const Header& expected, const Header& found) const {
  log::complain(communicator_.device, "mismatch between ranks: rank " + std::to_string(communicator_.rank) + " calls " +
                                          text_of(expected) + ", rank " + std::to_string(peer) + " calls " +
                                          text_of(found));
  throw Ended{ncclInvalidUsage};
}

}  // namespace nvmlkit::nccl
