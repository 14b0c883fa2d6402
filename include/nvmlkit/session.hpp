// The state that all objects of one opened library share, and the only way to call a C function through it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nvmlkit/result.hpp>
#include <nvmlkit/table.hpp>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace nvmlkit::nvml {

// A native handle, and how many handles of its library had ended when an object got it.
template <class Native>
struct Held {
  Native native;
  std::uint32_t generation;

  operator Native() const noexcept { return native; }
};
using HeldDevice = Held<abi::nvmlDevice_t>;

// One opened library, from its init to its shutdown, as all objects that came from it share it. Programs only hand it
// on: Device(library.session(), handle).
class Session {
 public:
  // Takes a table whose init has been called and calls its shutdown once, at close() or at the end. `linker_handle` is
  // unloaded after that when it is not null.
  Session(const Table& table, void* linker_handle);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Result<void> close();
  bool usable() const noexcept { return why_unusable() == Errc::success; }
  Errc why_unusable() const noexcept { return condition_.load(std::memory_order_acquire); }

  // Null where the library lacks the function, and for every function after close(), in a forked child, or once a
  // handle ended: one load answers all that a call has to ask, and why_not() what it means.
  template <class Function>
  Function live(Function Table::*member) const noexcept {
    return std::atomic_ref<Function>(live_.*member).load(std::memory_order_relaxed);
  }

  // What the handle stood for is gone. Objects that have it answer Errc::stale_handle; one that the driver gives out
  // later is another, even if it has the same value.
  void retire(const void* handle);
  std::uint32_t generation() const noexcept { return generation_.load(std::memory_order_relaxed); }
  bool retired(const void* handle, std::uint32_t generation) const noexcept;

  // Runs in a forked child, where the driver's state is the parent's. Calls nothing that could lock or allocate.
  void disown() noexcept;
  Session* next() const noexcept { return next_; }

  const Table table;
  // As detail::pack_driver_version(); 0 until it is asked for. For errata only.
  mutable std::atomic<std::uint32_t> driver_version{0};

 private:
  void end(Errc condition) noexcept;
  void empty_live() noexcept;

  mutable Table live_;
  std::atomic<Errc> condition_{Errc::success};  // or forked, or library_closed
  void* linker_handle_;
  std::atomic<std::uint32_t> generation_{0};
  mutable std::mutex retired_mutex_;
  std::unordered_map<const void*, std::uint32_t> retired_;  // the last generation that is stale
  Session* previous_ = nullptr;                             // the list that the fork handler walks
  Session* next_ = nullptr;
};

using SessionPtr = std::shared_ptr<Session>;

namespace detail {

// By value and out of line: a successful call then need not put its outcome into memory.
[[gnu::cold]] Failure failure_of(Errc code, std::size_t symbol) noexcept;

// What a C function answered, and which one it was.
struct Outcome {
  Errc code;
  std::size_t symbol;

  bool ok() const noexcept { return code == Errc::success; }
  Failure failure() const noexcept { return failure_of(code, symbol); }
};

template <class Argument>
bool stale([[maybe_unused]] const Session& session, [[maybe_unused]] const Argument& argument) noexcept {
  return false;
}
template <class Native>
bool stale(const Session& session, const Held<Native>& held) noexcept {
  if constexpr (std::is_pointer_v<Native>)
    return session.retired(held.native, held.generation);
  else
    return false;  // a number: the driver looks it up
}

// Why the function that is not live must not be called; success where only handles of others ended.
[[gnu::cold]] Errc why_not(const Session& session, bool there, bool stale) noexcept;

// Arguments by reference, so that they are first looked at when there is something to call.
template <class Function, class... Arguments>
inline Outcome call(const Session& session, Function Table::*member, Arguments&&... arguments) {
  Function function = session.live(member);
  if (!function) [[unlikely]] {
    function = session.table.*member;
    const Errc why = why_not(session, function != nullptr, (stale(session, arguments) || ...));
    if (why != Errc::success) return {why, symbol_index(member)};
  }
  return {static_cast<Errc>(function(arguments...)), symbol_index(member)};
}

// The number that a quantity stands for, when the C type can hold it.
template <class Number, class Quantity>
bool holds(const Quantity& quantity) noexcept {
  return std::in_range<Number>(quantity.count());
}

}  // namespace detail
}  // namespace nvmlkit::nvml
