// What the command and the preloaded library agree upon.
#pragma once

namespace nvmlkit::preload {

// The library, and the variable with the folder of the view: an absolute path without a link.
inline constexpr const char* kLibrary = "libnvmlkit-node.so";
inline constexpr const char* kVariable = "NVMLKIT_NODE_VIEW";

// The target of a link that stands for a file of the host begins with this, and continues with the path below /.
inline constexpr const char kHost[] = "/./";

}  // namespace nvmlkit::preload
