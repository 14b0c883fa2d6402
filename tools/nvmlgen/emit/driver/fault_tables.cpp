#include <fmt/format.h>

#include <cctype>

#include "emit/driver/emitters.hpp"
#include "emit/driver/text.hpp"

namespace nvmlgen {

std::string emit_symbols(const Registry& registry) {
  std::string out = kBanner;
  out += R"(// Every function of the API, as a number that state files may hold and a name that people write.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nvmlkit::sim {

enum class Symbol : std::uint16_t {
)";
  for (const auto& function : registry.facts.functions) out += fmt::format("  {},\n", function.stem());
  out += fmt::format("}};\n\ninline constexpr std::size_t symbol_count = {};\n\n", registry.facts.functions.size());
  out += "inline constexpr std::array<std::string_view, symbol_count> symbol_names = {\n";
  for (const auto& function : registry.facts.functions) out += fmt::format("    \"{}\",\n", function.name);
  out += "};\n\n}  // namespace nvmlkit::sim\n";
  return out;
}

std::string emit_return_codes(const Registry& registry) {
  std::string out = kBanner;
  out += R"(// The codes that a function may answer with.
#pragma once

#include <cstdint>
#include <string_view>

namespace nvmlkit::sim {

struct ReturnCode {
  std::int32_t value;
  std::string_view name;  // without NVML_ or NVML_ERROR_
};

inline constexpr ReturnCode return_codes[] = {
)";
  for (const auto& [name, value] : registry.facts.enumeration("nvmlReturn_t")->values) {
    const std::string_view prefix = name.starts_with("NVML_ERROR_") ? "NVML_ERROR_" : "NVML_";
    out += fmt::format("    {{{}, \"{}\"}},\n", value, name.substr(prefix.size()));
  }
  out += "};\n\n}  // namespace nvmlkit::sim\n";
  return out;
}

std::string emit_sxids(const Registry& registry) {
  std::string out = kBanner;
  out += R"(// SXid errors of NVSwitches.
#pragma once

#include <cstdint>
#include <string_view>

namespace nvmlkit::sim::faults {

struct Sxid {
  std::uint32_t number;
  bool fatal;
  std::string_view message;  // in the kernel log
};

inline constexpr Sxid sxids[] = {
)";
  for (const auto& sxid : registry.sxids)
    out += fmt::format("    {{{}, {}, \"{}\"}},\n", sxid.number, sxid.fatal, sxid.message);
  out += "};\n\n}  // namespace nvmlkit::sim::faults\n";
  return out;
}

namespace {

std::int64_t constant_of(const Registry& registry, const char* enumeration, std::string name) {
  for (auto& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const auto& [known, value] : registry.facts.enumeration(enumeration)->values)
    if (known.ends_with("_" + name)) return value;
  return 0;
}

std::string operational_of(const Registry& registry, const Xid& xid) {
  if (!xid.operational) return {};
  const auto& event = *xid.operational;
  return fmt::format(",\n     {{\"{}\", {}, {}, {}, {}}}", event.module, event.code, event.category,
                     constant_of(registry, "nvmlOperationalEventSeverity_t", event.severity),
                     constant_of(registry, "nvmlGpuOperationalEventLogLevel_t", event.level));
}

}  // namespace

std::string emit_xids(const Registry& registry) {
  std::string out = kBanner;
  out += R"(// Xid errors.
#pragma once

#include <cstdint>
#include <string_view>

namespace nvmlkit::sim::faults {

// What an Xid does to a GPU beside the event.
enum class XidEffect : std::uint8_t { none, lost, reset, unresponsive, double_bit, remap_pending, remap_failed, nvlink };

// The GPU operational event that drivers publish with an Xid; severity and level are those of NVML.
struct OperationalEvent {
  std::string_view module;  // empty: there is none
  std::uint32_t code, category, severity, level;
};

struct Xid {
  std::uint32_t number;
  XidEffect effect;
  std::string_view mnemonic, name;
  std::string_view log;  // message in the kernel log, with {gpu}, {link} and {address}
  OperationalEvent operational = {};
};

inline constexpr Xid xids[] = {
)";
  for (const auto& xid : registry.xids)
    out += fmt::format("    {{{}, XidEffect::{}, \"{}\", \"{}\",\n     \"{}\"{}}},\n", xid.number, xid.effect,
                       xid.mnemonic, xid.name, xid.log.empty() ? xid.name : xid.log, operational_of(registry, xid));
  out += R"(};

// Null for a number that is not in the table.
constexpr const Xid* find_xid(std::uint32_t number) {
  for (const auto& xid : xids)
    if (xid.number == number) return &xid;
  return nullptr;
}

}  // namespace nvmlkit::sim::faults
)";
  return out;
}

}  // namespace nvmlgen
