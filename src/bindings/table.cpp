#include <cstring>
#include <nvmlkit/result.hpp>
#include <nvmlkit/table.hpp>

namespace nvmlkit::nvml {

const char* Provenance::symbol() const noexcept { return symbol_ == 0 ? "" : symbols()[symbol_ - 1].name; }

const Symbol* find_symbol(std::string_view name) noexcept {
  for (const Symbol& symbol : symbols())
    if (name == symbol.name) return &symbol;
  return nullptr;
}

std::size_t fill(Table& table, const std::function<void*(const char* name)>& resolve) {
  std::size_t found = 0;
  for (const Symbol& symbol : symbols()) {
    void* function = resolve(symbol.name);
    std::memcpy(reinterpret_cast<char*>(&table) + symbol.offset, &function, sizeof function);
    if (function) ++found;
  }
  return found;
}

}  // namespace nvmlkit::nvml
