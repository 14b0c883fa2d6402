// The thunks: one small function per symbol and place. It packs its arguments and calls the hook of its place.
#include <array>
#include <atomic>
#include <nvmlkit/interpose/hook.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "generated/visit_members.hpp"
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

Word dispatch(std::size_t slot, std::size_t symbol, const Word* arguments) noexcept {
  const Entry* entry = slots[slot].entry.load(std::memory_order_acquire);
  if (!entry) [[unlikely]]
    return symbol == symbol_index(&Table::ErrorString) ? to_word("") : to_word(abi::NVML_ERROR_UNINITIALIZED);
  return entry->hook->on_call(Call(*entry->inner, symbol, arguments));
}

// Sanitizers would make each of its thousands of instances many times larger, and there is nothing in it to find.
template <std::size_t Index, std::size_t Place, class R, class... A>
[[gnu::no_sanitize("address", "undefined")]] R thunk(A... arguments) {
  const Word words[sizeof...(A) + 1] = {to_word(arguments)..., 0};
  return from_word<R>(dispatch(Place, Index, words));
}

// Puts the thunks of one place wherever the inner table has a function.
template <std::size_t Place>
struct Filler {
  template <std::size_t Index, class R, class... A>
  void operator()(R (*&member)(A...)) const {
    if constexpr (!std::is_void_v<R>) {
      if (member) member = &thunk<Index, Place, R, A...>;
    }
  }
};

template <std::size_t... Places>
void fill_thunks(Table& table, std::size_t place, std::index_sequence<Places...>) {
  (static_cast<void>(place == Places ? visit_members(table, Filler<Places>{}) : void()), ...);
}

}  // namespace

Result<Wrapped> wrap(const Table& inner, std::shared_ptr<Hook> hook) {
  for (std::size_t number = 0; number < kWrapLimit; ++number) {
    Slot& slot = slots[number];
    if (slot.taken.exchange(true)) continue;
    auto place = std::make_unique<Wrapped::Place>(Wrapped::Place{number, inner, inner, std::move(hook)});
    fill_thunks(place->outer, number, std::make_index_sequence<kWrapLimit>());
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
