// The name of this host.
#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace nvmlkit::cli {

inline std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

}  // namespace nvmlkit::cli
