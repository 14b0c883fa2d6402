#include <mutex>
#include <nvmlkit/session.hpp>

#include "platform/platform.hpp"

namespace nvmlkit::nvml {

using detail::Outcome;

namespace {

// Every Session of the process. The mutex is held over a fork, so that the child finds a whole list.
std::mutex list_mutex;
Session* first_session = nullptr;

void before_fork() { list_mutex.lock(); }
void after_fork_in_parent() { list_mutex.unlock(); }
void after_fork_in_child() {
  for (Session* session = first_session; session; session = session->next()) session->disown();
  list_mutex.unlock();
}

}  // namespace

Session::Session(const Table& functions, void* linker_handle)
    : table(functions), live_(functions), linker_handle_(linker_handle) {
  platform::on_fork(before_fork, after_fork_in_parent, after_fork_in_child);
  const std::lock_guard lock(list_mutex);
  next_ = first_session;
  if (next_) next_->previous_ = this;
  first_session = this;
}

Session::~Session() {
  {
    const std::lock_guard lock(list_mutex);
    (previous_ ? previous_->next_ : first_session) = next_;
    if (next_) next_->previous_ = previous_;
  }
  // In a forked child the driver's state is the parent's: neither shut it down nor unload its code.
  if (why_unusable() == Errc::forked) return;
  static_cast<void>(close());
  if (linker_handle_) platform::dl_close(linker_handle_);
}

// Methods find no function any more; why_unusable() returns the condition.
void Session::end(Errc condition) noexcept {
  condition_.store(condition, std::memory_order_release);
  empty_live();
}

void Session::empty_live() noexcept {
  using Slot [[gnu::may_alias]] = void*;  // a Table is nothing but pointers to functions
  Slot* slots = reinterpret_cast<Slot*>(&live_);
  for (std::size_t i = 0; i < sizeof live_ / sizeof(Slot); ++i) __atomic_store_n(&slots[i], nullptr, __ATOMIC_RELAXED);
}

// From here on every call of this library looks at the list first. It has an entry per value that ever ended, and
// drivers give the same values out again.
void Session::retire(const void* handle) {
  {
    const std::lock_guard lock(retired_mutex_);
    retired_[handle] = generation_.fetch_add(1, std::memory_order_relaxed);
  }
  empty_live();
}

bool Session::retired(const void* handle, std::uint32_t generation) const noexcept {
  if (!usable()) return false;  // in a forked child no thread may unlock the mutex
  const std::lock_guard lock(retired_mutex_);
  const auto entry = retired_.find(handle);
  return entry != retired_.end() && generation <= entry->second;
}

void Session::disown() noexcept {
  if (why_unusable() == Errc::success) end(Errc::forked);
}

Result<void> Session::close() {
  const std::size_t symbol = symbol_index(&Table::Shutdown);
  // One of several threads that close wins; the others find the library closed.
  Errc open = Errc::success;
  if (!condition_.compare_exchange_strong(open, Errc::library_closed)) return Outcome{open, symbol}.failure();
  end(Errc::library_closed);
  if (!table.Shutdown) return Outcome{Errc::function_not_found, symbol}.failure();
  const Outcome outcome{static_cast<Errc>(table.Shutdown()), symbol};
  if (!outcome.ok()) return outcome.failure();
  return {};
}

namespace detail {

Failure failure_of(Errc code, std::size_t symbol) noexcept { return Failure(code, symbols()[symbol].name); }

Errc why_not(const Session& session, bool there, bool stale) noexcept {
  const Errc why = session.why_unusable();
  if (why != Errc::success) return why;
  if (!there) return Errc::function_not_found;
  return stale ? Errc::stale_handle : Errc::success;
}

}  // namespace detail
}  // namespace nvmlkit::nvml
