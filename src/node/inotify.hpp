// An instance of inotify. Linux allows a user only so many of them, and a node needs one for each thing that it
// watches.
#pragma once

#include <system_error>

#include "node/descriptor.hpp"

namespace nvmlkit::node {

// The user has as many as the kernel allows.
struct NoMoreInstances : std::system_error {
  NoMoreInstances();
};

// Throws std::system_error.
Descriptor open_inotify();

}  // namespace nvmlkit::node
