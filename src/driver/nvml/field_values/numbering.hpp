// Field ids by driver branch. NVIDIA renumbered some ids; an id has the meaning of the machine's branch.
#pragma once

#include <span>
#include <string_view>

namespace nvmlkit::driver {

struct MovedField {
  unsigned int id;     // of the branch
  unsigned int today;  // of the newest header
};

struct FieldNumbering {
  unsigned int branch, since;  // 580 and 82: from 580.82 on
  unsigned int limit;          // ids from here on are unknown
  std::span<const MovedField> moved;

  // The id of today's header; 0, which no field has, for one that the branch does not know.
  unsigned int todays(unsigned int id) const;
};

// In the order of versions. Generated.
std::span<const FieldNumbering> field_numberings();

// The one of a driver version: of the newest that is no newer, and today's for a text that is no version.
const FieldNumbering& numbering_of(std::string_view driver_version);

}  // namespace nvmlkit::driver
