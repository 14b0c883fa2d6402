#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "emit/driver/text.hpp"
#include "emit/trace/emitters.hpp"

namespace nvmlgen {
namespace {

const FollowedStruct* followed(const Registry& registry, const Param& parameter) {
  const auto* structure = parameter.ptr > 0 ? registry.facts.structure(parameter.base) : nullptr;
  if (!structure) return nullptr;
  const auto found = std::find_if(registry.followed.begin(), registry.followed.end(),
                                  [&](const FollowedStruct& entry) { return entry.name == structure->name; });
  return found == registry.followed.end() ? nullptr : &*found;
}

struct Rows {
  std::string pointers, elements, unfollowed;
};

void add_rows(Rows& rows, std::size_t symbol, std::size_t argument, const std::string& name,
              const FollowedStruct& entry, bool returns_it) {
  if (!entry.unfollowed.empty()) rows.unfollowed += fmt::format("    {},  // {}\n", symbol, name);
  for (const auto& p : entry.pointers)
    rows.pointers += fmt::format("    {{{}, {}, PointerKind::{}, {}, {}, {}, {}, {}, {}}},  // {}\n", symbol, argument,
                                 p.kind, p.offset, p.size, p.asks, p.count, p.stride, p.each, name);
  const auto& e = entry.elements;
  if (e.offset > 0 && (e.number >= 0 || returns_it))
    rows.elements += fmt::format("    {{{}, {}, {}, {}, {}, {}}},  // {}\n", symbol, argument, e.offset, e.stride,
                                 e.asks, e.number, name);
}

std::string kind_of(const SlotArgument& argument) { return argument.kind == "address" ? "output" : argument.kind; }

}  // namespace

std::string emit_trace_pointers(const Registry& registry) {
  Rows rows;
  std::size_t symbol = 0;
  for (const auto& function : registry.facts.functions) {
    const auto& semantics = registry.semantics.functions.at(function.name);
    for (std::size_t i = 0; i < function.params.size(); ++i)
      if (const auto* entry = followed(registry, function.params[i]))
        add_rows(rows, symbol, i, function.name, *entry, semantics.call == Protocol::structure);
    ++symbol;
  }
  return fmt::format(R"({}// Memory behind pointers inside structs.
#include "bindings/call_memory/shape.hpp"

namespace nvmlkit::nvml::interpose {{
namespace {{

// symbol, argument, kind, offset, bytes of an element, bytes that are read, offset of the count, stride, offset of the
// number of holders
constexpr Pointer kPointers[] = {{
{}}};

// symbol, argument, offset, stride, bytes that are read, offset of the number (-1: the answer begins at the offset)
constexpr Elements kElements[] = {{
{}}};

constexpr std::size_t kUnfollowed[] = {{
{}}};

}}  // namespace

std::span<const Pointer> pointers() noexcept {{ return kPointers; }}
std::span<const Elements> elements() noexcept {{ return kElements; }}
std::span<const std::size_t> unfollowed() noexcept {{ return kUnfollowed; }}

}}  // namespace nvmlkit::nvml::interpose
)",
                     kBanner, rows.pointers, rows.elements, rows.unfollowed);
}

std::string emit_private_slots(const Registry& registry) {
  std::string arguments, slots, tables;
  std::size_t at = 0, table_number = 0;
  for (const auto& table : registry.private_tables) {
    tables += fmt::format("    {{\"{}\", {{{:#04x}}}}},\n", table.name, fmt::join(table.id, ", "));
    for (const auto& slot : table.slots) {
      arguments += fmt::format("    // {} slot {}\n", table.name, slot.number);
      for (const auto& a : slot.arguments)
        arguments += fmt::format("    {{\"{}\", ArgumentKind::{}, {}, {}}},\n", a.name, kind_of(a), a.size, a.length);
      slots += fmt::format("    {{{}, {}, \"{} slot {}\", {{kArguments + {}, {}}}}},\n", table_number, slot.number,
                           table.name, slot.number, at, slot.arguments.size());
      at += slot.arguments.size();
    }
    ++table_number;
  }
  return fmt::format(R"({}// The arguments of private functions.
#include "trace/shape.hpp"

namespace nvmlkit::trace {{
namespace {{

// name, kind, bytes behind it, which argument is its length
constexpr Argument kArguments[] = {{
{}}};

constexpr PrivateTable kTables[] = {{
{}}};

// table, number, name, arguments
constexpr PrivateSlot kSlots[] = {{
{}}};

}}  // namespace

std::span<const PrivateTable> private_tables() noexcept {{ return kTables; }}
std::span<const PrivateSlot> private_slots() noexcept {{ return kSlots; }}

}}  // namespace nvmlkit::trace
)",
                     kBanner, arguments, tables, slots);
}

std::string emit_trace_exports(const Registry& registry) {
  std::string out = kBanner;
  out += R"(// Every function of the API. Each passes its arguments on, as words.
#include <nvmlkit/generated/abi.hpp>

#include "driver/trace/pass.hpp"

using namespace nvmlkit::abi;
using nvmlkit::trace::pass;
#define NVMLKIT_EXPORT __attribute__((visibility("default")))

extern "C" {
)";
  std::size_t index = 0;
  for (const auto& function : registry.facts.functions) {
    const auto& entry = registry.semantics.functions.at(function.name);
    const auto arguments = argument_list(function, entry, false);
    out += fmt::format("NVMLKIT_EXPORT {} {}({}) {{ return pass<{}, {}>({}); }}\n", function.ret, function.name,
                       parameter_list(function, entry, false), function.ret, index++, arguments);
  }
  return out + "}\n";
}

}  // namespace nvmlgen
