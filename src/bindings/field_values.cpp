#include <algorithm>
#include <nvmlkit/detail/errata.hpp>
#include <nvmlkit/device.hpp>

#include "field_number.hpp"

namespace nvmlkit::nvml {
namespace detail {

Result<FieldNumber> decode(abi::nvmlValueType_t type, const abi::nvmlValue_t& value, const char* function) {
  switch (type) {
    case abi::NVML_VALUE_TYPE_DOUBLE:
      return FieldNumber(value.dVal);
    case abi::NVML_VALUE_TYPE_UNSIGNED_INT:
      return FieldNumber(std::uint64_t{value.uiVal});
    case abi::NVML_VALUE_TYPE_UNSIGNED_LONG:
      return FieldNumber(std::uint64_t{value.ulVal});
    case abi::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG:
      return FieldNumber(std::uint64_t{value.ullVal});
    case abi::NVML_VALUE_TYPE_SIGNED_LONG_LONG:
      return FieldNumber(std::int64_t{value.sllVal});
    case abi::NVML_VALUE_TYPE_SIGNED_INT:
      return FieldNumber(std::int64_t{value.siVal});
    case abi::NVML_VALUE_TYPE_UNSIGNED_SHORT:
      return FieldNumber(std::uint64_t{value.usVal});
    default:
      return Failure(Errc::malformed_answer, function,
                     "a value of type " + std::to_string(static_cast<unsigned int>(type)));
  }
}

namespace {

// What goes to the driver, and what was refused before: `sent` is the place in `wire`, or none.
struct Batch {
  std::vector<abi::nvmlFieldValue_t> wire;
  std::vector<Result<std::size_t>> places;  // one for each query
};

Batch translate(const Session& state, std::span<const FieldQuery> queries) {
  Batch batch;
  batch.wire.reserve(queries.size());
  batch.places.reserve(queries.size());
  const std::uint32_t driver = driver_version(state);
  for (const FieldQuery& query : queries) {
    const auto id = wire_id(query.id, driver);
    if (!id) {
      batch.places.emplace_back(id.error());
      continue;
    }
    // Zeroed beside the key: counters of some drivers are added to what the caller left in there. The status stays
    // "unknown" where the driver skips an entry.
    abi::nvmlFieldValue_t value{};
    value.fieldId = *id;
    value.scopeId = query.scope;
    value.nvmlReturn = abi::NVML_ERROR_UNKNOWN;
    batch.places.emplace_back(batch.wire.size());
    batch.wire.push_back(value);
  }
  return batch;
}

Result<Batch> exchange(const Session& state, HeldDevice device, std::span<const FieldQuery> queries,
                       decltype(Table::DeviceGetFieldValues) Table::*member) {
  Batch batch = translate(state, queries);
  if (batch.wire.empty() && state.usable()) return batch;
  const Outcome outcome = call(state, member, device, static_cast<int>(batch.wire.size()), batch.wire.data());
  if (!outcome.ok()) return outcome.failure();
  return batch;
}

FieldValue outcome_of(const FieldQuery& query, const Batch& batch, const Result<std::size_t>& place) {
  constexpr const char* kFunction = "nvmlDeviceGetFieldValues";
  if (!place) return {query, place.error(), {}, {}};
  const abi::nvmlFieldValue_t& answer = batch.wire[*place];
  FieldValue value{query, FieldNumber(), std::chrono::microseconds(answer.timestamp),
                   std::chrono::microseconds(answer.latencyUsec)};
  if (answer.nvmlReturn == abi::NVML_SUCCESS)
    value.value = decode(answer.valueType, answer.value, kFunction);
  else
    value.value = Failure(static_cast<Errc>(answer.nvmlReturn), kFunction, to_string(query.id));
  return value;
}

}  // namespace
}  // namespace detail

Result<std::vector<FieldValue>> Device::field_values(std::span<const FieldQuery> queries) const {
  const auto batch = detail::exchange(*session_, handle_, queries, &Table::DeviceGetFieldValues);
  if (!batch) return batch.error();
  std::vector<FieldValue> values;
  values.reserve(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i)
    values.push_back(detail::outcome_of(queries[i], *batch, batch->places[i]));
  return values;
}

Result<std::vector<Result<void>>> Device::clear_field_values(std::span<const FieldQuery> queries) const {
  const auto batch = detail::exchange(*session_, handle_, queries, &Table::DeviceClearFieldValues);
  if (!batch) return batch.error();
  std::vector<Result<void>> done;
  done.reserve(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto& place = batch->places[i];
    if (!place) {
      done.emplace_back(place.error());
      continue;
    }
    const auto code = static_cast<Errc>(batch->wire[*place].nvmlReturn);
    if (code == Errc::success)
      done.emplace_back();
    else
      done.emplace_back(Failure(code, "nvmlDeviceClearFieldValues", to_string(queries[i].id)));
  }
  return done;
}

}  // namespace nvmlkit::nvml
