// JSON of every value, with nlohmann-json, which a program that includes this header brings itself.
//
//   nlohmann::json memory = nvmlkit::nvml::to_json_value(device.memory_info().value());
//
// Quantities are numbers in the unit that the member has, enums and flags their texts, handles hexadecimal texts, and
// what is not available is null.
#pragma once

#include <nlohmann/json.hpp>
#include <nvmlkit/text.hpp>

namespace nvmlkit::nvml {

template <class T>
nlohmann::ordered_json to_json_value(const T& member) {
  using Json = nlohmann::ordered_json;
  if constexpr (detail::is_optional<T>) {
    return member ? to_json_value(*member) : Json(nullptr);
  } else if constexpr (detail::is_list<T>) {
    Json list = Json::array();
    for (const auto& each : member) list.push_back(to_json_value(each));
    return list;
  } else if constexpr (detail::is_quantity<T> || detail::is_duration<T>) {
    return member.count();
  } else if constexpr (std::is_same_v<T, std::string> || std::is_arithmetic_v<T>) {
    return member;
  } else if constexpr (std::is_same_v<T, abi::nvmlValue_t>) {
    return detail::bits_of(member);
  } else if constexpr (Reflected<T>) {
    Json object = Json::object();
    for_each_field(member, [&](const char* name, const auto& each) { object[name] = to_json_value(each); });
    return object;
  } else {
    return detail::member_text(member);  // enums, flags, codes and handles
  }
}

// For nlohmann::json j = value;
template <class Json, Reflected Value>
void to_json(Json& json, const Value& value) {
  json = to_json_value(value);
}

}  // namespace nvmlkit::nvml
