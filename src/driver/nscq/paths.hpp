// The paths that clients observe.
#pragma once

#include <string_view>

#include "driver/nscq/session.hpp"

namespace nvmlkit::nscq {

// Calls back once for each thing that the path names. Null for a path that NSCQ does not have, or that is not
// simulated.
using Observe = void (*)(const Session&, Callback, void*);
Observe find_path(std::string_view path);

}  // namespace nvmlkit::nscq
