// A certificate that its own key signs.
#pragma once

#include "serve/tls/certificate.hpp"

namespace nvmlkit::serve::tls {

// For these names and addresses, for a year.
sim::Expected<Pair> make_pair(const std::vector<std::string>& names);

// Writes new files: the key for this user only.
sim::Expected<void> write_pair(const Pair& pair, const Files& files);

}  // namespace nvmlkit::serve::tls
