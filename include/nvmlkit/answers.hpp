// Shapes that generated methods answer with.
#pragma once

#include <nvmlkit/generated/abi.hpp>
#include <vector>

namespace nvmlkit::nvml {

// A C struct that points to a list: its other fields, and the list. The header's own pointer is null.
template <class Header, class Entry>
struct Listing {
  Header header{};
  std::vector<Entry> entries;
};

}  // namespace nvmlkit::nvml
