// The path of a watched call: the call log, functions that fail or are slow by a rule, GPUs that do not respond. It is
// taken while a log, a rule or a fault exists.
#pragma once

#include "driver/nvml/call/call.hpp"
#include "sim/generated/symbols.hpp"

namespace nvmlkit::driver {

using sim::Symbol;

// Must the next call go through observe()? This check is the only cost of an unwatched call.
inline bool watched() {
  const auto* word = detail::running().watched.load(std::memory_order_acquire);
  return word == nullptr || word->load(std::memory_order_relaxed) != 0;
}

namespace detail {

// `arguments` point to the arguments of the call, in their order.
abi::nvmlReturn_t observe(Symbol symbol, const void* const* arguments, abi::nvmlReturn_t (*answer)(void*),
                          void* context);

}  // namespace detail

template <auto answer, class... Arguments>
[[gnu::cold, gnu::noinline]] abi::nvmlReturn_t observe(Symbol symbol, Arguments... arguments) {
  const void* const places[] = {&arguments..., nullptr};
  auto call = [&] { return answer(arguments...); };
  return detail::observe(
      symbol, places, [](void* context) { return (*static_cast<decltype(call)*>(context))(); }, &call);
}

}  // namespace nvmlkit::driver
