#include <charconv>
#include <nvmlkit/detail/errata.hpp>
#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/errata.hpp>
#include <nvmlkit/field_values.hpp>
#include <nvmlkit/library.hpp>

namespace nvmlkit::nvml {
namespace detail {
namespace {

constexpr std::uint32_t kAsItIs = 0x80000000U;

const FieldChange* change_of(const ErratumEntry& erratum, std::uint32_t number) {
  for (const FieldChange& change : erratum.fields)
    if (change.number == number) return &change;
  return nullptr;
}

Result<std::string> driver_version_text(const Session& state) {
  return read_string(
      80, [&](char* text, unsigned int length) { return call(state, &Table::SystemGetDriverVersion, text, length); });
}

}  // namespace

const FieldEntry* field_entry(std::uint32_t number) noexcept {
  const auto fields = field_entries();
  const std::uint32_t place = number - kFirstFieldNumber;
  return place < fields.size() && fields[place].name ? &fields[place] : nullptr;
}

std::uint32_t pack_driver_version(std::string_view text) noexcept {
  constexpr std::uint32_t kScale[] = {1'000'000, 1'000, 1};
  std::uint32_t packed = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (const std::uint32_t scale : kScale) {
    std::uint32_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number > 999) return 0;
    packed += number * scale;
    at = next;
    if (at == end) return packed < kScale[0] ? 0 : packed;
    if (*at++ != '.') return 0;
  }
  return 0;
}

std::uint32_t driver_version(const Session& state) {
  std::uint32_t version = state.driver_version.load(std::memory_order_relaxed);
  if (version != 0) return version;
  if (const auto text = driver_version_text(state)) version = pack_driver_version(*text);
  state.driver_version.store(version, std::memory_order_relaxed);
  return version;
}

Result<std::uint32_t> wire_id(FieldId id, std::uint32_t driver) {
  const auto number = static_cast<std::uint32_t>(id);
  constexpr const char* kFunction = "nvmlDeviceGetFieldValues";
  if (number & kAsItIs) return number & ~kAsItIs;
  const FieldEntry* field = field_entry(number);
  if (!field) return Failure(Errc::invalid_argument, kFunction, "no field has this number");
  for (const ErratumEntry& erratum : errata_entries()) {
    const FieldChange* change = change_of(erratum, number);
    if (!change || (driver != 0 && !erratum.concerns(driver))) continue;
    if (driver == 0)
      return Failure(Errc::not_supported, kFunction,
                     std::string("the id of ") + field->name +
                         " differs between drivers, and this driver does not tell its version");
    if (change->wire < 0)
      return Failure(Errc::not_supported, kFunction, std::string("this driver has no ") + field->name);
    return static_cast<std::uint32_t>(change->wire);
  }
  return field->wire;
}

}  // namespace detail

FieldId raw_field_id(unsigned int wire) noexcept { return static_cast<FieldId>(wire | detail::kAsItIs); }

std::string to_string(FieldId id) {
  const auto number = static_cast<std::uint32_t>(id);
  if (number & detail::kAsItIs) return "field " + std::to_string(number & ~detail::kAsItIs);
  if (const auto* field = detail::field_entry(number)) return field->name;
  return "field number " + std::to_string(number);
}

Result<std::vector<ActiveErratum>> Library::active_errata() const {
  const auto text = detail::driver_version_text(*session_);
  if (!text) return text.error();
  const std::uint32_t driver = detail::pack_driver_version(*text);
  if (driver == 0)
    return Failure(Errc::malformed_answer, "nvmlSystemGetDriverVersion", "'" + *text + "' is no driver version");
  std::vector<ActiveErratum> active;
  for (const auto& e : detail::errata_entries()) {
    if (!e.concerns(driver)) continue;
    std::string why = "driver " + *text + " is one of ";
    if (*e.from_text) why += std::string(e.from_text) + " <= ";
    why += "version";
    if (*e.before_text) why += std::string(" < ") + e.before_text;
    active.push_back({e.id, e.what, e.handled, std::move(why)});
  }
  return active;
}

}  // namespace nvmlkit::nvml
