// Taking a header into the facts.
#pragma once

#include "drift.hpp"

namespace nvmlgen::headers {

/// Merges `header` (its version set) into `facts` and returns the drift.
///
/// A header at least as new as the newest one becomes the present: functions, structs, enums, constants and types
/// are what it declares; what it lacks goes to the history with first_seen and last_seen; first_seen of all else is
/// the first header it was seen in. Importing the newest version again replaces the present.
///
/// An older header only adds history. It never changes what the present says, except that first_seen moves back to
/// it. Functions and types that only older headers have are listed as removed; values, signatures, aliases and
/// struct sizes that differ from those of its neighbours get an entry (struct fields are not compared, since history
/// keeps sizes of old layouts only). An older header that is already in the history changes nothing.
Drift merge(Facts& facts, Api header);

}  // namespace nvmlgen::headers
