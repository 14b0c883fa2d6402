// Places for wrapped tables, and the hook of each.
#include <atomic>
#include <nvmlkit/interpose/hook.hpp>
#include <string>
#include <utility>

#include "interpose/thunks.hpp"
#include "interpose/word.hpp"

namespace nvmlkit::nvml::interpose {

Hook::~Hook() = default;

struct Wrapped::Place {
  std::size_t number;
  Table inner;
  Table outer;
  std::shared_ptr<Hook> hook;
};

namespace {

struct Entry {
  const Table* inner;
  Hook* hook;
};

// Taken places keep their number while `entry` says who answers; both are set by wrap() and ~Wrapped alone.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<const Entry*> entry{nullptr};
  Entry storage{};
};
Slot slots[kWrapLimit];

}  // namespace

Word dispatch(std::size_t slot, std::size_t symbol, const Word* arguments) noexcept {
  const Entry* entry = slots[slot].entry.load(std::memory_order_acquire);
  if (!entry) [[unlikely]]
    return symbol == symbol_index(&Table::ErrorString) ? to_word("") : to_word(abi::NVML_ERROR_UNINITIALIZED);
  return entry->hook->on_call(Call(*entry->inner, symbol, arguments));
}

Result<Wrapped> wrap(const Table& inner, std::shared_ptr<Hook> hook) {
  for (std::size_t number = 0; number < kWrapLimit; ++number) {
    Slot& slot = slots[number];
    if (slot.taken.exchange(true)) continue;
    auto place = std::make_unique<Wrapped::Place>(Wrapped::Place{number, inner, inner, std::move(hook)});
    fill_thunks(place->outer, number);
    slot.storage = {&place->inner, place->hook.get()};
    slot.entry.store(&slot.storage, std::memory_order_release);
    return Wrapped(std::move(place));
  }
  return Failure(Errc::insufficient_resources, nullptr,
                 "all " + std::to_string(kWrapLimit) + " places for wrapped tables of this process are taken");
}

Wrapped::Wrapped(std::unique_ptr<Place> place) noexcept : place_(std::move(place)) {}
Wrapped::Wrapped(Wrapped&& other) noexcept = default;
Wrapped& Wrapped::operator=(Wrapped&& other) noexcept {
  std::swap(place_, other.place_);
  return *this;
}

Wrapped::~Wrapped() {
  if (!place_) return;
  Slot& slot = slots[place_->number];
  slot.entry.store(nullptr, std::memory_order_release);
  slot.taken.store(false, std::memory_order_release);
}

const Table& Wrapped::table() const noexcept { return place_->outer; }

}  // namespace nvmlkit::nvml::interpose
