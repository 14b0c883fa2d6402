#include "driver/nvml/field_values/numbering.hpp"

#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::driver {

unsigned int FieldNumbering::todays(unsigned int id) const {
  if (id >= limit) return 0;
  for (const auto& field : moved)
    if (field.id == id) return field.today;
  return id;
}

const FieldNumbering& numbering_of(std::string_view driver_version) {
  const auto all = field_numberings();
  const auto number = sim::branch_number(driver_version);
  const auto release = sim::release_number(driver_version);
  if (number == 0) return all.back();
  const FieldNumbering* found = &all.front();
  for (const auto& numbering : all)
    if (numbering.branch < number || (numbering.branch == number && numbering.since <= release)) found = &numbering;
  return *found;
}

}  // namespace nvmlkit::driver
