#include "trace/shape.hpp"

#include <nvmlkit/table.hpp>
#include <vector>

namespace nvmlkit::trace {
namespace {

using nvml::symbol_index;
using nvml::Table;

// Its table is described by the code that makes one, not by bytes.
constexpr Argument kExportTable[] = {{"table", ArgumentKind::output, 0, -1}, {"id", ArgumentKind::input, 16, -1}};
constexpr Argument kUnknownSlot[] = {{"table", ArgumentKind::value, 0, -1}, {"slot", ArgumentKind::value, 0, -1}};

const std::vector<Shape>& shapes() {
  static const auto& all = *new std::vector<Shape>([] {
    std::vector<Shape> out;
    for (std::size_t i = 0; i < nvml::kSymbolCount; ++i) out.push_back(nvml::interpose::shape_of(i));
    out[export_table_function()].arguments = kExportTable;
    for (const PrivateSlot& slot : private_slots()) {
      auto& shape = out.emplace_back();
      shape.name = slot.name;
      shape.arguments = slot.arguments;
    }
    auto& unknown = out.emplace_back();
    unknown.name = "unknown slot";
    unknown.arguments = kUnknownSlot;
    unknown.followed = false;
    return out;
  }());
  return all;
}

}  // namespace

std::size_t function_count() noexcept { return nvml::kSymbolCount + private_slots().size() + 1; }
std::size_t unknown_slot() noexcept { return function_count() - 1; }
std::size_t export_table_function() noexcept { return symbol_index(&Table::InternalGetExportTable); }
const Shape& shape(std::size_t function) noexcept { return shapes()[function]; }

std::size_t find_function(std::string_view name) noexcept {
  for (std::size_t i = 0; i < function_count(); ++i)
    if (name == shape(i).name) return i;
  return SIZE_MAX;
}

char letter_of(ArgumentKind kind) noexcept {
  constexpr const char* kLetters = "vhtioxsak";
  return kLetters[static_cast<std::size_t>(kind)];
}

bool is_pointer(char letter) noexcept { return letter != 'v' && letter != 'h'; }
bool is_read(char letter) noexcept { return letter == 't' || letter == 'i' || letter == 'x' || letter == 'k'; }
bool is_written(char letter) noexcept {
  return letter == 'o' || letter == 'x' || letter == 's' || letter == 'a' || letter == 'k';
}

}  // namespace nvmlkit::trace
