#include "ptx/builtins/builtins.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "ptx/builtins/builtin_call.hpp"
#include "ptx/builtins/runtime/device_runtime.hpp"

namespace nvmlkit::ptx {
namespace {

// Values lie in the buffer one behind the other, each at a multiple of its size.
class Values {
 public:
  Values(const BuiltinCall& call, std::uint64_t address) : call_(call), address_(address) {}
  std::uint64_t take(std::size_t size) {
    address_ = (address_ + size - 1) / size * size;
    std::uint64_t out = 0;
    if (const auto* p = call_.bytes(address_, size)) std::memcpy(&out, p, size);
    address_ += size;
    return out;
  }

 private:
  const BuiltinCall& call_;
  std::uint64_t address_;
};

template <class T>
void append(std::string& out, const std::string& format, T value) {
  std::array<char, 512> buffer;
  const int length = std::snprintf(buffer.data(), buffer.size(), format.c_str(), value);
  if (length > 0) out.append(buffer.data(), std::min<std::size_t>(static_cast<std::size_t>(length), buffer.size() - 1));
}

// One conversion of printf: "%-8.3lx" has the options "%-8.3", the length "l" and the kind 'x'.
struct Conversion {
  std::string options = "%";
  bool is_wide = false;  // its integer has 8 bytes rather than 4
  char kind = '%';
};

// Reads flags, width and precision; a '*' takes its number from the values. What stands behind them comes back.
std::size_t read_options(Conversion& out, Values& values, const std::string& format, std::size_t at) {
  while (at < format.size() && std::strchr("-+ #0123456789.*", format[at])) {
    if (format[at] == '*')
      out.options += std::to_string(static_cast<std::int32_t>(values.take(4)));
    else
      out.options += format[at];
    ++at;
  }
  return at;
}

std::size_t read_length(Conversion& out, const std::string& format, std::size_t at) {
  while (at < format.size() && std::strchr("hlLqjzt", format[at])) {
    out.is_wide |= std::strchr("lqjzt", format[at]) != nullptr;
    ++at;
  }
  return at;
}

void append_value(const BuiltinCall& call, Values& values, const Conversion& as, std::string& out) {
  switch (as.kind) {
    case 'd':
    case 'i':
      append(out, as.options + "lld",
             static_cast<long long>(as.is_wide ? static_cast<std::int64_t>(values.take(8))
                                               : static_cast<std::int32_t>(values.take(4))));
      break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      append(out, as.options + "ll" + as.kind, static_cast<unsigned long long>(values.take(as.is_wide ? 8 : 4)));
      break;
    case 'c':
      append(out, as.options + "c", static_cast<int>(values.take(4)));
      break;
    case 'p':
      append(out, as.options + "p", reinterpret_cast<void*>(values.take(8)));
      break;
    case 's': {
      const auto text = call.text(values.take(8));
      append(out, as.options + "s", text.c_str());
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
      append(out, as.options + as.kind, real);
      break;
    }
    case '%':
      out += '%';
      break;
    default:
      out += as.options + as.kind;
  }
}

// One conversion of printf, from behind its '%'; what stands after it comes back.
std::size_t convert(const BuiltinCall& call, Values& values, const std::string& format, std::size_t at,
                    std::string& out) {
  Conversion conversion;
  at = read_options(conversion, values, format, at);
  if (conversion.options.size() > 24) return at;
  at = read_length(conversion, format, at);
  if (at >= format.size()) return at;
  conversion.kind = format[at++];
  append_value(call, values, conversion, out);
  return at;
}

void print(const BuiltinCall& call) {
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

void assertion(const BuiltinCall& call) {
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

void allocate(const BuiltinCall& call) {
  const auto size = call.argument<std::uint64_t>(0);
  call.answer<std::uint64_t>(size ? call.warp().block.worker().grid.memory->allocate(size) : 0);
}

void release(const BuiltinCall& call) { call.release(call.argument<std::uint64_t>(0)); }

void set_condition(const BuiltinCall& call) {
  call.warp().block.worker().grid.memory->set_condition(call.argument<std::uint64_t>(0),
                                                        call.argument<std::uint32_t>(1));
}

constexpr Builtin kBuiltins[] = {
    {"vprintf", &print, FaultKind::none},
    {"__assertfail", &assertion, FaultKind::assertion},
    {"malloc", &allocate, FaultKind::none},
    {"free", &release, FaultKind::none},
    {"__cxa_pure_virtual", [](const BuiltinCall&) {}, FaultKind::trap},
    {"cudaGraphSetConditional", &set_condition, FaultKind::none},
};

}  // namespace

int builtin_named(std::string_view name) {
  for (std::size_t k = 0; k < std::size(kBuiltins); ++k)
    if (kBuiltins[k].name == name) return static_cast<int>(k);
  const auto own = device_runtime_named(name);
  return own < 0 ? -1 : static_cast<int>(std::size(kBuiltins)) + own;
}

void call_builtin(const CallSite& site, Warp& warp, const Instruction& i, Mask lanes) {
  const auto number = static_cast<std::size_t>(site.builtin);
  const auto& builtin =
      number < std::size(kBuiltins) ? kBuiltins[number] : device_runtime(number - std::size(kBuiltins));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    builtin.work(BuiltinCall(site, warp, i, lane));
    if (warp.block.worker().fault.kind != FaultKind::none) return;
  }
  if (builtin.then != FaultKind::none) warp.fault(builtin.then, 0, i, first_of(lanes));
}

}  // namespace nvmlkit::ptx
