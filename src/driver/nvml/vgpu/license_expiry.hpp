// The expiry of a license in NVML's form: calendar numbers in UTC.
#pragma once

#include <cstdint>
#include <ctime>

#include "nvmlkit/generated/abi.hpp"
#include "sim/model/field.hpp"

namespace nvmlkit::driver {

template <class Expiry>
void fill_expiry(bool licensed, const sim::model::Field<std::uint64_t>& ends, Expiry& out) {
  out = {};
  if (!licensed || !ends) {
    const auto status = licensed ? abi::GRID_LICENSE_EXPIRY_PERMANENT : abi::GRID_LICENSE_EXPIRY_NOT_APPLICABLE;
    out.status = static_cast<unsigned char>(status);
    return;
  }
  const auto seconds = static_cast<std::time_t>(*ends);
  std::tm date{};
  if (seconds < 0 || gmtime_r(&seconds, &date) == nullptr) {
    out.status = static_cast<unsigned char>(abi::GRID_LICENSE_EXPIRY_INVALID);
    return;
  }
  const auto number = [](int value) { return static_cast<unsigned short>(value); };
  out.year = static_cast<unsigned int>(date.tm_year + 1900);
  out.month = number(date.tm_mon + 1);
  out.day = number(date.tm_mday);
  out.hour = number(date.tm_hour);
  out.min = number(date.tm_min);
  out.sec = number(date.tm_sec);
  out.status = static_cast<unsigned char>(abi::GRID_LICENSE_EXPIRY_VALID);
}

}  // namespace nvmlkit::driver
