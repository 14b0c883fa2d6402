// The dispatch table as a value, and the facts about each of its symbols.
#pragma once

#include <cstddef>
#include <functional>
#include <nvmlkit/generated/table.hpp>
#include <span>
#include <string_view>

namespace nvmlkit::nvml {

struct Symbol {
  const char* name;    // "nvmlDeviceGetName"
  const char* since;   // first header that declares it; empty when none does
  std::size_t offset;  // of its pointer in Table
  bool deprecated;
  const char* exported_by;  // driver branches known to export it, blank between: "535 550"
};

// One per member of Table, in its order.
std::span<const Symbol> symbols() noexcept;

// By the C name; null when there is none.
const Symbol* find_symbol(std::string_view name) noexcept;

namespace detail {
inline constexpr Table kEmptyTable{};
}

// The index of a member in symbols(): symbol_index(&Table::DeviceGetName).
template <class Function>
std::size_t symbol_index(Function Table::*member) noexcept {
  return static_cast<std::size_t>(reinterpret_cast<const char*>(&(detail::kEmptyTable.*member)) -
                                  reinterpret_cast<const char*>(&detail::kEmptyTable)) /
         sizeof(void (*)());
}

template <class Function>
const Symbol& symbol_of(Function Table::*member) noexcept {
  return symbols()[symbol_index(member)];
}

// Asks the resolver for each symbol by its C name and stores what it answers, null included.
// Returns how many are there.
std::size_t fill(Table& table, const std::function<void*(const char* name)>& resolve);

}  // namespace nvmlkit::nvml
