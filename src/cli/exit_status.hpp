// What the command ends with, beside 0 and what a program that it runs ends with.
#pragma once

namespace nvmlkit::cli {

inline constexpr int kBadInput = 2;  // wrong arguments, or a machine that cannot be used

}  // namespace nvmlkit::cli
