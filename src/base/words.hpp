// The words of an error, for people to read. Each file that includes this is on the list of house.texts.
#pragma once

#include <string>

#include "base/prose.hpp"

namespace nvmlkit {

inline const std::string& words_of(const Prose& prose) { return prose.text_; }

}  // namespace nvmlkit
