// The text of an error in PTX, without its line.
#pragma once

#include <string>

#include "ptx/parse/error.hpp"

namespace nvmlkit::ptx {

std::string text_of(const Error& error);

}  // namespace nvmlkit::ptx
