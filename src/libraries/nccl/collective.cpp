#include "libraries/nccl/collective.hpp"

#include "libraries/nccl/exchange.hpp"
#include "libraries/nccl/reduce.hpp"

namespace nvmlkit::nccl {
namespace {

struct Slice {
  std::uint64_t begin, size;  // in bytes
};

class Collective {
 public:
  Collective(Communicator& communicator, const Operation& operation, const Memory& memory)
      : communicator_(communicator),
        o_(operation),
        memory_(memory),
        element_(size_of(operation.type)),
        size_(operation.count * element_) {
    header_.kind = o_.kind;
    header_.type = o_.type;
    header_.by = o_.by.kind;
    header_.root = o_.root;
    header_.count = o_.count;
    header_.operation = ++communicator.operations;
  }

  void run() {
    switch (o_.kind) {
      case Kind::all_reduce:
        return all_reduce();
      case Kind::reduce_scatter:
        return reduce_scatter();
      case Kind::reduce:
        return reduce();
      case Kind::broadcast:
        return broadcast();
      case Kind::all_gather:
        return all_gather();
      case Kind::all_to_all:
        return all_to_all();
      case Kind::gather:
        return gather();
      case Kind::scatter:
        return scatter();
      default:
        return;
    }
  }

 private:
  int rank() const { return communicator_.rank; }
  int ranks() const { return communicator_.ranks; }
  std::uint64_t block(int rank) const { return static_cast<std::uint64_t>(rank) * size_; }
  Header part(std::uint64_t size, std::uint32_t step = 0) const {
    auto out = header_;
    out.size = size;
    out.step = step;
    return out;
  }
  template <class Do>
  void each_other(Do visit) const {
    for (int i = 1; i < ranks(); ++i) visit((rank() + i) % ranks());
  }
  Exchange exchange() const { return Exchange(communicator_, memory_.look); }

  // The part of rank `owner` of the elements; a whole number of them.
  Slice slice(int owner) const {
    const auto each = o_.count / static_cast<std::uint64_t>(ranks());
    const auto more = o_.count % static_cast<std::uint64_t>(ranks());
    const auto at = static_cast<std::uint64_t>(owner);
    return {(at * each + std::min(at, more)) * element_, (each + (at < more ? 1 : 0)) * element_};
  }

  // One's own elements, multiplied where the operator says so.
  const std::byte* input(std::uint64_t size) {
    const auto* const bytes = memory_.read(o_.from, size);
    if (o_.by.kind != ncclNumOps) return bytes;
    auto scalar = o_.by.scalar;
    if (o_.by.scalar_place) std::memcpy(&scalar, memory_.read(o_.by.scalar_place, element_), element_);
    multiplied_.resize(size);
    multiply(o_.type, scalar, bytes, size / element_, multiplied_.data());
    return multiplied_.data();
  }

  void all_reduce() {
    const auto* const in = input(size_);
    auto* const out = memory_.write(o_.to, size_);
    const auto mine = slice(rank());
    auto first = exchange();
    each_other([&](int peer) { first.send(peer, part(slice(peer).size), in + slice(peer).begin); });
    first.combine(part(mine.size), in + mine.begin, out + mine.begin);
    first.run();
    auto second = exchange();
    each_other([&](int peer) {
      second.send(peer, part(mine.size, 1), out + mine.begin);
      second.receive(peer, part(slice(peer).size, 1), out + slice(peer).begin);
    });
    second.run();
  }

  void reduce_scatter() {
    const auto* const in = input(size_ * static_cast<std::uint64_t>(ranks()));
    auto* const out = memory_.write(o_.to, size_);
    auto all = exchange();
    each_other([&](int peer) { all.send(peer, part(size_), in + block(peer)); });
    all.combine(part(size_), in + block(rank()), out);
    all.run();
  }

  void reduce() {
    const auto* const in = input(size_);
    auto all = exchange();
    if (rank() == o_.root)
      all.combine(part(size_), in, memory_.write(o_.to, size_));
    else
      all.send(o_.root, part(size_), in);
    all.run();
  }

  void broadcast() {
    auto all = exchange();
    if (rank() == o_.root) {
      const auto* const in = memory_.read(o_.from, size_);
      each_other([&](int peer) { all.send(peer, part(size_), in); });
      copy(in, memory_.write(o_.to, size_));
    } else {
      all.receive(o_.root, part(size_), memory_.write(o_.to, size_));
    }
    all.run();
  }

  void all_gather() {
    const auto* const in = memory_.read(o_.from, size_);
    auto* const out = memory_.write(o_.to, size_ * static_cast<std::uint64_t>(ranks()));
    auto all = exchange();
    each_other([&](int peer) {
      all.send(peer, part(size_), in);
      all.receive(peer, part(size_), out + block(peer));
    });
    copy(in, out + block(rank()));
    all.run();
  }

  void all_to_all() {
    const auto* in = memory_.read(o_.from, size_ * static_cast<std::uint64_t>(ranks()));
    auto* const out = memory_.write(o_.to, size_ * static_cast<std::uint64_t>(ranks()));
    std::vector<std::byte> kept;
    if (in == out) {  // what is sent is still there when the others' arrives
      kept.assign(in, in + size_ * static_cast<std::uint64_t>(ranks()));
      in = kept.data();
    }
    auto all = exchange();
    each_other([&](int peer) {
      all.send(peer, part(size_), in + block(peer));
      all.receive(peer, part(size_), out + block(peer));
    });
    copy(in + block(rank()), out + block(rank()));
    all.run();
  }

  void gather() {
    const auto* const in = memory_.read(o_.from, size_);
    auto all = exchange();
    if (rank() != o_.root) {
      all.send(o_.root, part(size_), in);
    } else {
      auto* const out = memory_.write(o_.to, size_ * static_cast<std::uint64_t>(ranks()));
      each_other([&](int peer) { all.receive(peer, part(size_), out + block(peer)); });
      copy(in, out + block(rank()));
    }
    all.run();
  }

  void scatter() {
    auto* const out = memory_.write(o_.to, size_);
    auto all = exchange();
    if (rank() != o_.root) {
      all.receive(o_.root, part(size_), out);
    } else {
      const auto* const in = memory_.read(o_.from, size_ * static_cast<std::uint64_t>(ranks()));
      each_other([&](int peer) { all.send(peer, part(size_), in + block(peer)); });
      copy(in + block(rank()), out);
    }
    all.run();
  }

  void copy(const std::byte* from, std::byte* to) const {
    if (from != to) std::memmove(to, from, size_);
  }

  Communicator& communicator_;
  const Operation& o_;
  const Memory& memory_;
  const std::size_t element_;
  const std::uint64_t size_;
  Header header_;
  std::vector<std::byte> multiplied_;
};

}  // namespace

void perform(Communicator& communicator, const Operation& operation, const Memory& memory) {
  Collective(communicator, operation, memory).run();
}

void perform_all(Communicator& communicator, const std::vector<Operation>& operations, const Memory& memory) {
  Exchange all(communicator, memory.look);
  for (const auto& o : operations) {
    Header header;
    header.kind = Kind::send;
    header.type = o.type;
    header.count = o.count;
    header.size = o.count * size_of(o.type);
    if (o.kind == Kind::send)
      all.send(o.root, header, memory.read(o.from, header.size));
    else
      all.receive(o.root, header, memory.write(o.to, header.size));
  }
  all.run();
}

}  // namespace nvmlkit::nccl
