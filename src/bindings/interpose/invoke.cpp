#include <array>
#include <cstring>
#include <nvmlkit/interpose/hook.hpp>
#include <type_traits>
#include <utility>

#include "generated/visit_members.hpp"
#include "interpose/word.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

using AnyFunction = void (*)();
using Invoker = Word (*)(AnyFunction function, const Word* arguments);

template <class R, class... A, std::size_t... I>
Word unpack(R (*function)(A...), [[maybe_unused]] const Word* arguments, std::index_sequence<I...>) {
  return to_word(function(from_word<A>(arguments[I])...));
}

// One per kind of function, not per function.
template <class R, class... A>
Word invoke_as(AnyFunction function, const Word* arguments) {
  return unpack(reinterpret_cast<R (*)(A...)>(function), arguments, std::index_sequence_for<A...>());
}

struct Collector {
  std::array<Invoker, kSymbolCount>& invokers;
  template <std::size_t Index, class R, class... A>
  void operator()(R (*const&)(A...)) const {
    if constexpr (!std::is_void_v<R>) invokers[Index] = &invoke_as<R, A...>;
  }
};

std::array<Invoker, kSymbolCount> collect() {
  std::array<Invoker, kSymbolCount> invokers{};
  const Table table;
  visit_members(table, Collector{invokers});
  return invokers;
}

}  // namespace

Word invoke(const Table& table, std::size_t symbol, const Word* arguments) noexcept {
  static const auto invokers = collect();
  AnyFunction function = nullptr;
  std::memcpy(&function, reinterpret_cast<const char*>(&table) + symbols()[symbol].offset, sizeof function);
  if (!function || !invokers[symbol]) return to_word(abi::NVML_ERROR_FUNCTION_NOT_FOUND);
  return invokers[symbol](function, arguments);
}

}  // namespace nvmlkit::nvml::interpose
