#include "ptx/builtins.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "ptx/block.hpp"
#include "ptx/warp.hpp"

namespace nvmlkit::ptx {
namespace {

// One lane's call: its arguments, its result, memory as it sees it.
class Call {
 public:
  Call(const CallSite& site, Warp& warp, const Instruction& i, unsigned lane)
      : site_(site), warp_(warp), i_(i), lane_(lane) {}

  template <class T>
  T argument(std::size_t index) const {
    T out{};
    if (index < site_.arguments.size())
      std::memcpy(&out, warp_.frame().param(lane_) + site_.arguments[index], sizeof out);
    return out;
  }
  template <class T>
  void answer(T value) const {
    if (!site_.results.empty()) std::memcpy(warp_.frame().param(lane_) + site_.results[0], &value, sizeof value);
  }
  const std::byte* bytes(std::uint64_t address, std::size_t size) const {
    return warp_.resolve(Space::generic, i_, address, size, lane_);
  }
  // A text that ends within its allocation; nothing more after a fault.
  std::string text(std::uint64_t address) const {
    std::string out;
    while (const auto* p = bytes(address++, 1)) {
      if (*p == std::byte{}) return out;
      out += static_cast<char>(*p);
    }
    return {};
  }
  Warp& warp() const { return warp_; }
  unsigned lane() const { return lane_; }
  const Instruction& instruction() const { return i_; }

 private:
  const CallSite& site_;
  Warp& warp_;
  const Instruction& i_;
  unsigned lane_;
};

// Values lie in the buffer one behind the other, each at a multiple of its size.
class Values {
 public:
  Values(const Call& call, std::uint64_t address) : call_(call), address_(address) {}
  std::uint64_t take(std::size_t size) {
    address_ = (address_ + size - 1) / size * size;
    std::uint64_t out = 0;
    if (const auto* p = call_.bytes(address_, size)) std::memcpy(&out, p, size);
    address_ += size;
    return out;
  }

 private:
  const Call& call_;
  std::uint64_t address_;
};

template <class T>
void append(std::string& out, const std::string& format, T value) {
  std::array<char, 512> buffer;
  const int length = std::snprintf(buffer.data(), buffer.size(), format.c_str(), value);
  if (length > 0) out.append(buffer.data(), std::min<std::size_t>(static_cast<std::size_t>(length), buffer.size() - 1));
}

// One conversion of printf, from behind its '%'; what stands after it comes back.
std::size_t convert(const Call& call, Values& values, const std::string& format, std::size_t at, std::string& out) {
  std::string spec = "%";
  while (at < format.size() && std::strchr("-+ #0123456789.*", format[at])) {
    if (format[at] == '*')
      spec += std::to_string(static_cast<std::int32_t>(values.take(4)));
    else
      spec += format[at];
    ++at;
  }
  if (spec.size() > 24) return at;
  std::size_t longs = 0;
  bool is_size = false;
  while (at < format.size() && std::strchr("hlLqjzt", format[at])) {
    longs += format[at] == 'l';
    is_size |= format[at] == 'z' || format[at] == 'j' || format[at] == 't' || format[at] == 'q';
    ++at;
  }
  if (at >= format.size()) return at;
  const char kind = format[at++];
  const bool wide = longs > 0 || is_size;
  switch (kind) {
    case 'd':
    case 'i':
      append(out, spec + "lld",
             static_cast<long long>(wide ? static_cast<std::int64_t>(values.take(8))
                                         : static_cast<std::int32_t>(values.take(4))));
      break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      append(out, spec + "ll" + kind, static_cast<unsigned long long>(values.take(wide ? 8 : 4)));
      break;
    case 'c':
      append(out, spec + "c", static_cast<int>(values.take(4)));
      break;
    case 'p':
      append(out, spec + "p", reinterpret_cast<void*>(values.take(8)));
      break;
    case 's': {
      const auto text = call.text(values.take(8));
      append(out, spec + "s", text.c_str());
      break;
    }
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
      const auto bits = values.take(8);
      double real = 0;
      std::memcpy(&real, &bits, sizeof real);
      append(out, spec + kind, real);
      break;
    }
    case '%':
      out += '%';
      break;
    default:
      out += spec + kind;
  }
  return at;
}

void print(const Call& call) {
  const auto format = call.text(call.argument<std::uint64_t>(0));
  Values values(call, call.argument<std::uint64_t>(1));
  std::string out;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] == '%')
      at = convert(call, values, format, at + 1, out);
    else
      out += format[at++];
  }
  call.warp().block.print(out);
  call.answer<std::int32_t>(static_cast<std::int32_t>(format.size() > 0));
}

void assertion(const Call& call) {
  const auto message = call.text(call.argument<std::uint64_t>(0));
  const auto file = call.text(call.argument<std::uint64_t>(1));
  const auto line = call.argument<std::uint32_t>(2);
  const auto function = call.text(call.argument<std::uint64_t>(3));
  const auto& s = call.warp().special();
  const auto l = call.lane();
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file.c_str(), line,
               function.c_str(), s.ctaid[0][l], s.ctaid[1][l], s.ctaid[2][l], s.tid[0][l], s.tid[1][l], s.tid[2][l],
               message.c_str());
}

void allocate(const Call& call) {
  const auto size = call.argument<std::uint64_t>(0);
  call.answer<std::uint64_t>(size ? call.warp().block.run().grid.memory->allocate(size) : 0);
}

void release(const Call& call) {
  const auto address = call.argument<std::uint64_t>(0);
  if (!address) return;
  call.warp().block.run().grid.memory->release(address);
  releases.fetch_add(1, std::memory_order_release);
}

void set_condition(const Call& call) {
  call.warp().block.run().grid.memory->set_condition(call.argument<std::uint64_t>(0), call.argument<std::uint32_t>(1));
}

struct Builtin {
  std::string_view name;
  void (*work)(const Call& call);
  FaultKind then;
};

constexpr Builtin kBuiltins[] = {
    {"vprintf", &print, FaultKind::none},
    {"__assertfail", &assertion, FaultKind::assertion},
    {"malloc", &allocate, FaultKind::none},
    {"free", &release, FaultKind::none},
    {"cudaGraphSetConditional", &set_condition, FaultKind::none},
};

}  // namespace

int builtin_named(std::string_view name) {
  for (std::size_t k = 0; k < std::size(kBuiltins); ++k)
    if (kBuiltins[k].name == name) return static_cast<int>(k);
  return -1;
}

void call_builtin(const CallSite& site, Warp& warp, const Instruction& i, Mask lanes) {
  const auto& builtin = kBuiltins[site.builtin];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    builtin.work(Call(site, warp, i, lane));
    if (warp.block.run().fault.kind != FaultKind::none) return;
  }
  if (builtin.then != FaultKind::none) warp.fault(builtin.then, 0, i);
}

}  // namespace nvmlkit::ptx
