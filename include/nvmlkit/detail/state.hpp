// What every object of one opened library shares, and the one way to call a C function through it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <nvmlkit/result.hpp>
#include <nvmlkit/table.hpp>

namespace nvmlkit::nvml::detail {

// Counts the forks that this process descends from since it first opened a library: a handle of another epoch belongs
// to the parent. A fork handler counts, so that a call need not ask the kernel for its pid.
extern std::atomic<std::uint32_t> process_epoch;
inline constexpr std::uint32_t kClosedEpoch = UINT32_MAX;

class State {
 public:
  // Takes a table whose init has been called and calls its shutdown once, at close() or at the end. `linker_handle` is
  // unloaded after that when it is not null.
  State(const Table& table, void* linker_handle) noexcept;
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Result<void> close();
  bool usable() const noexcept {
    return epoch_.load(std::memory_order_acquire) == process_epoch.load(std::memory_order_relaxed);
  }
  Errc why_unusable() const noexcept;

  const Table table;
  // As detail::pack_driver_version(); 0 until it is asked for. For errata only.
  mutable std::atomic<std::uint32_t> driver_version{0};

 private:
  std::atomic<std::uint32_t> epoch_;
  void* linker_handle_;
};

using StatePtr = std::shared_ptr<State>;

// What a C function answered, and which one it was.
struct Outcome {
  Errc code;
  std::size_t symbol;

  bool ok() const noexcept { return code == Errc::success; }
  Failure failure() const { return Failure(code, symbols()[symbol].name); }
};

template <class Function, class... Arguments>
Outcome call(const State& state, Function Table::*member, Arguments... arguments) {
  const std::size_t symbol = symbol_index(member);
  if (!state.usable()) [[unlikely]]
    return {state.why_unusable(), symbol};
  const Function function = state.table.*member;
  if (!function) [[unlikely]]
    return {Errc::function_not_found, symbol};
  return {static_cast<Errc>(function(arguments...)), symbol};
}

}  // namespace nvmlkit::nvml::detail
