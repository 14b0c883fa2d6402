// Tables of the errata engine, which nvmlgen writes from registry/semantics/values/errata.yaml.
#pragma once

#include <cstdint>
#include <nvmlkit/generated/field_id.hpp>
#include <nvmlkit/session.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nvmlkit::nvml::detail {

struct FieldEntry {
  const char* name;    // null: no field has this number
  std::uint32_t wire;  // the id in the newest header
};

struct FieldChange {
  std::uint16_t number;
  std::int32_t wire;  // -1: these drivers have no such field
};

struct ErratumEntry {
  const char* id;
  const char* what;
  const char* handled;
  const char* from_text;    // empty: from the first driver on
  const char* before_text;  // empty: up to the newest driver
  std::uint32_t from;
  std::uint32_t before;
  std::span<const FieldChange> fields;

  bool concerns(std::uint32_t driver) const noexcept { return from <= driver && driver < before; }
};

std::span<const FieldEntry> field_entries() noexcept;  // from kFirstFieldNumber on, by our own number
const FieldEntry* field_entry(std::uint32_t number) noexcept;
std::span<const ErratumEntry> errata_entries() noexcept;

// "580.82.07" as 580082007; 0 for a text that is no version.
std::uint32_t pack_driver_version(std::string_view text) noexcept;

// Asked once for each library, then remembered. 0 when the driver does not say.
std::uint32_t driver_version(const Session& state);

// The id that a driver wants for a field. A Failure where the driver has no such field, where the id depends on the
// driver and the driver's version is not known (0), and for a number that is no field.
Result<std::uint32_t> wire_id(FieldId id, std::uint32_t driver);

}  // namespace nvmlkit::nvml::detail
