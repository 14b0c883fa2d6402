// Comparing a header with the registry without changing either.
#pragma once

#include "facts.hpp"

namespace nvmlgen::headers {

struct CheckResult {
  std::vector<std::string> lines;  ///< one per difference, both values named, in a stable order
  std::size_t contradictions = 0;
  std::size_t known = 0;    ///< differences of an older header that the history has
  std::size_t unknown = 0;  ///< names that only the header has
  std::size_t absent = 0;   ///< names that only the registry has
};

/// Compares what both have: signatures, sizes, offsets, values, name mappings. For a header older than the newest
/// of the registry, a difference that the history explains is `known`. A header version that the history does not
/// list (a bare "12", for example) may match any entry of it.
CheckResult check(const Facts& facts, const Api& header);

}  // namespace nvmlgen::headers
