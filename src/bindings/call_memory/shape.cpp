#include "bindings/call_memory/shape.hpp"

#include <algorithm>
#include <nvmlkit/table.hpp>
#include <string_view>
#include <vector>

namespace nvmlkit::nvml::interpose {
namespace {

Shape make_shape(std::size_t symbol) {
  const auto& signature = signatures()[symbol];
  Shape out;
  out.name = symbols()[symbol].name;
  out.arguments = signature.arguments;
  out.versioned = signature.version > 0xffff ? signature.versioned : -1;  // a small version has no size
  out.returns_text = symbol == symbol_index(&Table::ErrorString);
  out.waits = std::string_view(out.name).find("EventSetWait") != std::string_view::npos;
  out.followed = std::ranges::find(unfollowed(), symbol) == unfollowed().end();
  out.is_public = true;
  const auto all = pointers();
  const auto first =
      std::find_if(all.begin(), all.end(), [symbol](const Pointer& row) { return row.symbol == symbol; });
  const auto last = std::find_if(first, all.end(), [symbol](const Pointer& row) { return row.symbol != symbol; });
  out.pointers = all.subspan(static_cast<std::size_t>(first - all.begin()), static_cast<std::size_t>(last - first));
  for (const Elements& row : elements())
    if (row.symbol == symbol) out.elements = &row;
  return out;
}

}  // namespace

const Shape& shape_of(std::size_t symbol) noexcept {
  // Never freed: a library that stays loaded may be called while the process ends.
  static const auto& all = *new std::vector<Shape>([] {
    std::vector<Shape> out;
    for (std::size_t i = 0; i < kSymbolCount; ++i) out.push_back(make_shape(i));
    return out;
  }());
  return all[symbol];
}

}  // namespace nvmlkit::nvml::interpose
