// Atomics on more than a word: each number of a vector by itself, or 128 bits at once.
#include <atomic>
#include <cstring>

#include "ptx/decode/form.hpp"
#include "ptx/instructions/memory/atomic_change.hpp"
#include "ptx/instructions/numbers/operations.hpp"
#include "ptx/instructions/numbers/settled.hpp"

namespace nvmlkit::ptx {
namespace {

// In Function::operands: the numbers to work with, then where the old ones go, if they do.
template <class T, class F>
void each_of_vector(Warp& w, const Instruction& i, Mask lanes) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  const auto* const operands = w.frame().function->operands.data() + i.side;
  const unsigned count = i.detail;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    auto* const bytes = w.resolve(i.space, i, addresses[l], sizeof(T) * count, l);
    if (!bytes) return;
    for (unsigned k = 0; k < count; ++k) {
      const T operand = w.at<T>(operands[k])[l];
      const auto old = change_atomically<T>(bytes + k * sizeof(T), [=](T value) { return F::of(value, operand); });
      if (i.flag && operands[count + k].is_there()) w.at<BitsOf<sizeof(T)>>(operands[count + k])[l] = old;
    }
  }
}

template <class F>
Handler narrow_vector(Type type) {
  switch (type) {
    case Type::f16:
      return &each_of_vector<Half, Lifted<F>>;
    case Type::bf16:
      return &each_of_vector<Bfloat, Lifted<F>>;
    case Type::f16x2:
      return &each_of_vector<Pair<Half>, Lifted<F>>;
    case Type::bf16x2:
      return &each_of_vector<Pair<Bfloat>, Lifted<F>>;
    default:
      return nullptr;
  }
}

struct Quad {
  std::uint64_t low, high;
  bool operator==(const Quad&) const = default;
};

// No host has this everywhere: one at a time.
class OneAtATime {
 public:
  OneAtATime() {
    while (busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~OneAtATime() { busy.clear(std::memory_order_release); }
  OneAtATime(const OneAtATime&) = delete;
  OneAtATime& operator=(const OneAtATime&) = delete;

 private:
  static inline std::atomic_flag busy;
};

// `flag`: only where operand b is there.
void exchange_quad(Warp& w, const Instruction& i, Mask lanes) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    auto* const bytes = w.resolve(i.space, i, addresses[l], sizeof(Quad), l);
    if (!bytes) return;
    Quad old;
    const auto& wanted = w.at<Quad>(i.flag ? i.c : i.b)[l];
    {
      const OneAtATime guard;
      std::memcpy(&old, bytes, sizeof old);
      if (!i.flag || old == w.at<Quad>(i.b)[l]) std::memcpy(bytes, &wanted, sizeof wanted);
    }
    if (i.d.is_there()) w.at<Quad>(i.d)[l] = old;
  }
}

}  // namespace

namespace decoders {

void vector_atomics(Form& f) {
  const bool returns = f.op() == Op::atom_;
  const auto type = f.type();
  const std::size_t at = returns ? 1 : 0;
  const auto& values = f.term(at + 1);
  const auto count = static_cast<std::size_t>(f.one_of({"v2", "v4", "v8"})[1] - '0');
  if (values.items.size() != count || (returns && f.term(0).items.size() != count))
    f.fail(ErrorKind::vector_size, "a vector of another length");
  if (count * size_of(type) > 16) f.fail_types();
  std::vector<Operand> operands;
  for (const auto& one : values.items) operands.push_back(f.source(one, type));
  if (returns)
    for (const auto& one : f.term(0).items) operands.push_back(f.target(one, type));
  f.out.space = f.space();
  f.address(f.term(at), f.out.space);
  f.out.detail = static_cast<std::uint8_t>(count);
  f.out.flag = returns;
  f.list(std::move(operands));
  const auto what = f.one_of({"add", "min", "max"});
  if (type == Type::f32)
    f.out.handler = what == "add" ? &each_of_vector<float, AddInMemory> : nullptr;
  else if (!what.empty())
    f.out.handler = what == "add"   ? narrow_vector<Add>(type)
                    : what == "min" ? narrow_vector<Least>(type)
                                    : narrow_vector<Greatest>(type);
}

void quad_atomics(Form& f) {
  f.out.flag = f.has("cas");
  if (f.op() != Op::atom_ || f.out.flag == f.has("exch")) f.fail_types();
  f.out.space = f.space();
  f.out.d = f.target(0, Type::b128);
  f.address(f.term(1), f.out.space);
  f.out.b = f.source(2, Type::b128);
  if (f.out.flag) f.out.c = f.source(3, Type::b128);
  f.out.handler = &exchange_quad;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
