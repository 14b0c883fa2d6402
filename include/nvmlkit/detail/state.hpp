// What every object of one opened library shares, and the one way to call a C function through it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <nvmlkit/result.hpp>
#include <nvmlkit/table.hpp>
#include <utility>

namespace nvmlkit::nvml::detail {

class State {
 public:
  // Takes a table whose init has been called and calls its shutdown once, at close() or at the end. `linker_handle` is
  // unloaded after that when it is not null.
  State(const Table& table, void* linker_handle);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Result<void> close();
  bool usable() const noexcept { return why_unusable() == Errc::success; }
  Errc why_unusable() const noexcept { return condition_.load(std::memory_order_acquire); }

  // Null where the library lacks the function, and for every function after close() or in a forked child: one load
  // answers all that a call has to ask.
  template <class Function>
  Function live(Function Table::*member) const noexcept {
    return std::atomic_ref<Function>(live_.*member).load(std::memory_order_relaxed);
  }

  // Runs in a forked child, where the driver's state is the parent's. Calls nothing that could lock or allocate.
  void disown() noexcept;
  State* next() const noexcept { return next_; }

  const Table table;
  // As detail::pack_driver_version(); 0 until it is asked for. For errata only.
  mutable std::atomic<std::uint32_t> driver_version{0};

 private:
  void end(Errc condition) noexcept;

  mutable Table live_;
  std::atomic<Errc> condition_{Errc::success};  // or forked, or library_closed
  void* linker_handle_;
  State* previous_ = nullptr;  // the list that the fork handler walks
  State* next_ = nullptr;
};

using StatePtr = std::shared_ptr<State>;

// By value and out of line: a successful call then need not put its outcome into memory.
[[gnu::cold]] Failure failure_of(Errc code, std::size_t symbol) noexcept;

// What a C function answered, and which one it was.
struct Outcome {
  Errc code;
  std::size_t symbol;

  bool ok() const noexcept { return code == Errc::success; }
  Failure failure() const noexcept { return failure_of(code, symbol); }
};

// Why there is nothing to call: always a failure.
[[gnu::cold]] Errc not_callable(const State& state) noexcept;

// Arguments by reference, so that they are first looked at when there is something to call.
template <class Function, class... Arguments>
inline Outcome call(const State& state, Function Table::*member, Arguments&&... arguments) {
  const Function function = state.live(member);
  if (!function) [[unlikely]]
    return {not_callable(state), symbol_index(member)};
  return {static_cast<Errc>(function(arguments...)), symbol_index(member)};
}

// The number that a quantity stands for, when the C type can hold it.
template <class Number, class Quantity>
bool holds(const Quantity& quantity) noexcept {
  return std::in_range<Number>(quantity.count());
}

}  // namespace nvmlkit::nvml::detail
