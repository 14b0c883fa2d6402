#include <nvmlkit/detail/state.hpp>

#include "platform/platform.hpp"

namespace nvmlkit::nvml::detail {

std::atomic<std::uint32_t> process_epoch{0};

State::State(const Table& functions, void* linker_handle) noexcept : table(functions), linker_handle_(linker_handle) {
  platform::count_forks();
  epoch_.store(process_epoch.load(std::memory_order_relaxed), std::memory_order_release);
}

State::~State() {
  // In a forked child the driver's state is the parent's: neither shut it down nor unload its code.
  if (why_unusable() == Errc::forked) return;
  static_cast<void>(close());
  if (linker_handle_) platform::dl_close(linker_handle_);
}

Result<void> State::close() {
  std::uint32_t epoch = process_epoch.load(std::memory_order_relaxed);
  const std::size_t symbol = symbol_index(&Table::Shutdown);
  // One of several threads that close wins; the others find the library closed.
  if (!epoch_.compare_exchange_strong(epoch, kClosedEpoch)) return Outcome{why_unusable(), symbol}.failure();
  if (!table.Shutdown) return Outcome{Errc::function_not_found, symbol}.failure();
  const Outcome outcome{static_cast<Errc>(table.Shutdown()), symbol};
  if (!outcome.ok()) return outcome.failure();
  return {};
}

Errc State::why_unusable() const noexcept {
  const std::uint32_t epoch = epoch_.load(std::memory_order_acquire);
  if (epoch == kClosedEpoch) return Errc::library_closed;
  return epoch == process_epoch.load(std::memory_order_relaxed) ? Errc::success : Errc::forked;
}

}  // namespace nvmlkit::nvml::detail
