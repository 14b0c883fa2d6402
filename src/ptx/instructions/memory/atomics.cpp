// atom, red, and fences. Other threads of the host may access the same memory: each change is atomic on the host
// too.
#include "ptx/decode/form.hpp"
#include "ptx/instructions/memory/atomic_change.hpp"
#include "ptx/instructions/numbers/operations.hpp"
#include "ptx/instructions/numbers/settled.hpp"

namespace nvmlkit::ptx {
namespace {

bool is_in_shared(const Instruction& i, std::uint64_t address) {
  constexpr std::uint64_t kWindow = std::uint64_t{0xFF} << 56;
  return i.space == Space::shared || (i.space == Space::generic && (address & kWindow) == kSharedWindow);
}

// One lane after the other: what an earlier one did, a later one sees.
template <class T, class F>
void atomic(Warp& w, const Instruction& i, Mask lanes) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  if (i.space != Space::shared) w.polls(1);
  const auto* const b = w.at<T>(i.b);
  auto* const d = i.d.is_there() ? w.at<BitsOf<sizeof(T)>>(i.d) : nullptr;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    auto* const p = w.resolve(i.space, i, addresses[l], sizeof(T), l);
    if (!p) return;
    const auto old = change_atomically<T>(p, [operand = b[l], &i, at = addresses[l]](T value) {
      if constexpr (std::is_same_v<F, AddInMemory>) return F::of(value, operand, is_in_shared(i, at));
      return F::of(value, operand);
    });
    if (d) d[l] = old;
  }
}

template <class T>
void compare_exchange(Warp& w, const Instruction& i, Mask lanes) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  if (i.space != Space::shared) w.polls(1);
  const auto* const expected = w.at<T>(i.b);
  const auto* const wanted = w.at<T>(i.c);
  auto* const d = i.d.is_there() ? w.at<T>(i.d) : nullptr;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    auto* const p = reinterpret_cast<T*>(w.resolve(i.space, i, addresses[l], sizeof(T), l));
    if (!p) return;
    T old = expected[l];
    __atomic_compare_exchange_n(p, &old, wanted[l], false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (d) d[l] = old;
  }
}

template <class F>
Handler of_bits(Type type) {
  if (is_float(type)) return nullptr;
  return size_of(type) == 4 ? &atomic<std::uint32_t, F> : size_of(type) == 8 ? &atomic<std::uint64_t, F> : nullptr;
}

template <class F>
Handler ordered(Type type) {
  switch (type) {
    case Type::u32:
      return &atomic<std::uint32_t, F>;
    case Type::s32:
      return &atomic<std::int32_t, F>;
    case Type::u64:
      return &atomic<std::uint64_t, F>;
    case Type::s64:
      return &atomic<std::int64_t, F>;
    default:
      return nullptr;
  }
}

Handler adding(Type type) {
  switch (type) {
    case Type::f32:
      return &atomic<float, AddInMemory>;
    case Type::f64:
      return &atomic<double, AddInMemory>;
    case Type::f16:
      return &atomic<Half, Lifted<Add>>;
    case Type::bf16:
      return &atomic<Bfloat, Lifted<Add>>;
    case Type::f16x2:
      return &atomic<Pair<Half>, Lifted<Add>>;
    case Type::bf16x2:
      return &atomic<Pair<Bfloat>, Lifted<Add>>;
    default:
      return of_bits<Add>(type);
  }
}

// What stands before it is seen before what stands behind it. The thread sanitizer knows no fences, but changes of a
// word.
void fence(Warp&, const Instruction&, Mask) {
#ifdef __SANITIZE_THREAD__
  static constinit unsigned word = 0;
  __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

}  // namespace

namespace decoders {

void atomics(Form& f) {
  if (f.has("async")) return async_changes(f);
  if (f.type() == Type::b128) return quad_atomics(f);
  if (!f.one_of({"v2", "v4", "v8"}).empty()) return vector_atomics(f);
  const bool returns = f.op() == Op::atom_;
  const auto type = f.type();
  const std::size_t first = returns ? 1 : 0;
  f.out.space = f.space();
  if (returns) f.out.d = f.target(0, type);
  f.address(f.term(first), f.out.space);
  f.out.b = f.source(first + 1, type);
  const auto what = f.one_of({"and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min", "max"});
  if (what == "cas") {
    f.out.c = f.source(first + 2, type);
    const auto size = size_of(type);
    f.out.handler = size == 2   ? &compare_exchange<std::uint16_t>
                    : size == 4 ? &compare_exchange<std::uint32_t>
                                : &compare_exchange<std::uint64_t>;
  }
  if (what == "exch") f.out.handler = of_bits<Replace>(type);
  if (what == "and") f.out.handler = of_bits<And>(type);
  if (what == "or") f.out.handler = of_bits<Or>(type);
  if (what == "xor") f.out.handler = of_bits<Xor>(type);
  if (what == "inc") f.out.handler = of_bits<Increment>(type);
  if (what == "dec") f.out.handler = of_bits<Decrement>(type);
  if (what == "add") f.out.handler = adding(type);
  if (what == "min") f.out.handler = ordered<Least>(type);
  if (what == "max") f.out.handler = ordered<Greatest>(type);
}

void ordering(Form& f) {
  if (f.op() == Op::nanosleep_)
    f.out.handler = [](Warp& w, const Instruction&, Mask) { w.polls(kWeightOfPoll); };
  else
    f.out.handler = &fence;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
