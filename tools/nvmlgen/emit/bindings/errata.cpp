// The field ids with our own numbers, and the errata: include/nvmlkit/generated/field_id.hpp,
// src/bindings/generated/errata.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/text.hpp"

namespace nvmlgen {
namespace {

std::vector<std::pair<std::string, std::int64_t>> by_number(const Errata& errata) {
  std::vector<std::pair<std::string, std::int64_t>> fields(errata.fields.begin(), errata.fields.end());
  std::sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return fields;
}

std::string enumerator(const std::string& name) { return lower_without("NVML_FI_", name); }

// The shortest list of metrics that any header has: what every driver that knows GPM takes.
std::int64_t shortest_gpm_list(const Facts& facts) {
  std::int64_t shortest = facts.value("NVML_GPM_METRIC_MAX").value_or(0);
  if (const auto it = facts.constant_changes.find("NVML_GPM_METRIC_MAX"); it != facts.constant_changes.end())
    for (const auto& [header, value] : it->second) shortest = std::min(shortest, value);
  return shortest;
}

// A version as one number that compares: 580.82.07 -> 580082007.
std::string packed(const std::string& version, const std::string& where, const char* open) {
  if (version.empty()) return open;
  const auto numbers = driver_version(version, where);
  return std::to_string(numbers[0] * 1000000 + numbers[1] * 1000 + numbers[2]);
}

}  // namespace

std::string emit_field_id(const Registry& registry) {
  std::string out = kBanner;
  out += R"(// The field ids of nvmlDeviceGetFieldValues, under numbers of our own that no driver changes.
#pragma once

#include <cstdint>

namespace nvmlkit::nvml {

enum class FieldId : std::uint32_t {
)";
  for (const auto& [name, number] : by_number(registry.errata))
    out += fmt::format("  {} = {},  // {}\n", enumerator(name), number, name);
  for (const auto& constant : registry.facts.constants) {
    if (constant.name.rfind("NVML_FI_", 0) != 0 || constant.name == "NVML_FI_MAX") continue;
    if (registry.errata.fields.count(constant.name)) continue;
    for (const auto& id : registry.field_ids.ids)
      if (id.id == constant.number)
        out += fmt::format("  {} = {},  // {}\n", enumerator(constant.name), enumerator(id.name), constant.name);
  }
  out += fmt::format(R"(}};

namespace detail {{
// Metrics of one GPM request that every driver takes: the shortest list of any header.
inline constexpr unsigned int kShortestGpmList = {};
inline constexpr std::uint32_t kFirstFieldNumber = {};
}}  // namespace detail

}}  // namespace nvmlkit::nvml
)",
                     shortest_gpm_list(registry.facts), kFirstFieldNumber);
  return out;
}

std::string emit_errata(const Registry& registry) {
  std::string out = kBanner;
  out += R"(#include <nvmlkit/detail/errata.hpp>

namespace nvmlkit::nvml::detail {
namespace {

// From kFirstFieldNumber on, by our own number; a number that no field has is empty.
constexpr FieldEntry kFields[] = {
)";
  std::int64_t next = kFirstFieldNumber;
  for (const auto& [name, number] : by_number(registry.errata)) {
    for (; next < number; ++next) out += "    {nullptr, 0},\n";
    out += fmt::format("    {{\"{}\", {}}},\n", name, *registry.facts.value(name));
    ++next;
  }
  out += "};\n\n";
  for (std::size_t i = 0; i < registry.errata.list.size(); ++i) {
    const auto& e = registry.errata.list[i];
    if (e.wire.empty()) continue;
    out += fmt::format("// {}\nconstexpr FieldChange kNumbering{}[] = {{\n", e.id, i);
    for (const auto& [name, wire] : e.wire)
      if (const auto own = registry.errata.fields.find(name); own != registry.errata.fields.end())
        out += fmt::format("    {{{}, {}}},  // {}\n", own->second, wire ? *wire : -1, name);
    out += "};\n\n";
  }
  out += "const ErratumEntry kErrata[] = {\n";
  for (std::size_t i = 0; i < registry.errata.list.size(); ++i) {
    const auto& e = registry.errata.list[i];
    out += fmt::format("    {{{}, {},\n     {}, {}, {},\n     {}, {}, {}}},\n", quoted(e.id), quoted(e.what),
                       quoted(e.handled), quoted(e.from), quoted(e.before), packed(e.from, e.id, "0"),
                       packed(e.before, e.id, "UINT32_MAX"), e.wire.empty() ? "{}" : fmt::format("kNumbering{}", i));
  }
  out += R"(};

}  // namespace

std::span<const FieldEntry> field_entries() noexcept { return kFields; }
std::span<const ErratumEntry> errata_entries() noexcept { return kErrata; }

}  // namespace nvmlkit::nvml::detail
)";
  return out;
}

}  // namespace nvmlgen
