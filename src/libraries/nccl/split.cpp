#include "libraries/nccl/split.hpp"

#include <algorithm>
#include <vector>

#include "libraries/nccl/bootstrap.hpp"
#include "libraries/nccl/exchange.hpp"
#include "libraries/nccl/log.hpp"

namespace nvmlkit::nccl {
namespace {

struct Member {
  std::int32_t color, key, rank;
  UniqueId id;  // where the others of its part meet, if it is the first of them
};

ncclResult_t tell_all(Communicator& parent, const Part& part, std::vector<Member>& members) {
  Header header;
  header.kind = Kind::split;
  header.operation = ++parent.operations;
  header.count = header.size = sizeof(Member);
  Exchange all(parent, [] {});
  for (int peer = 0; peer < parent.ranks; ++peer) {
    if (peer == parent.rank || part.excluded.count(peer)) continue;
    all.send(peer, header, reinterpret_cast<const std::byte*>(&members[static_cast<std::size_t>(parent.rank)]));
    all.receive(peer, header, reinterpret_cast<std::byte*>(&members[static_cast<std::size_t>(peer)]));
  }
  try {
    all.run();
  } catch (const Ended& ended) {
    if (ended.result != ncclSuccess) parent.fail(ended.result);
    return ended.result == ncclSuccess ? ncclInternalError : ended.result;
  }
  return ncclSuccess;
}

}  // namespace

ncclResult_t connect_part(Communicator& parent, std::uint64_t ticket, const Part& part, Communicator& made) {
  std::vector<Member> members(static_cast<std::size_t>(parent.ranks), Member{kNoColor, 0, 0, {}});
  auto& mine = members[static_cast<std::size_t>(parent.rank)];
  mine = {part.color, part.key, parent.rank, {}};
  if (const auto result = make_unique_id(mine.id); result != ncclSuccess) {
    parent.turn.give_up(ticket);
    return result;
  }
  if (!parent.turn.take(ticket, [&] { return parent.is_aborted(); })) return ncclInternalError;
  const auto told = tell_all(parent, part, members);
  parent.turn.pass(ticket);
  if (told != ncclSuccess || part.color == kNoColor) {
    made.set_state(told);
    return told;
  }
  std::erase_if(members, [&](const Member& m) { return m.color != part.color; });
  std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.key < b.key; });
  made.ranks = static_cast<int>(members.size());
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i].rank == parent.rank) made.rank = static_cast<int>(i);
  return connect(made, members.front().id);
}

}  // namespace nvmlkit::nccl
