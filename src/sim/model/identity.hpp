// Identities that follow from others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/model/field.hpp"

namespace nvmlkit::sim {

// A UUID as the driver makes them look, the same for the same model and index on every machine.
model::Text<80> derived_uuid(std::string_view model_name, std::uint32_t index);

// A hash that stays the same for ever: what is derived from a UUID outlives the process that derived it.
std::uint64_t identity_hash(std::string_view text, std::uint64_t seed);

// A text that identities are derived from, for machines that differ in nothing but their seed. No seed changes nothing.
std::string seeded(std::string_view text, std::string_view seed);

// `serial` with other trailing digits: those behind the first four, which name the product. No seed changes nothing.
std::string seeded_serial(std::string_view serial, std::string_view seed);

// `serial` counted on by `steps` in its trailing digits, its length kept.
std::string serial_after(std::string_view serial, std::uint32_t steps);

}  // namespace nvmlkit::sim
