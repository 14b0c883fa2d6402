// How a text of PTX begins: its version, and the GPU that it was written for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nvmlkit::ptx {

// PTX 9.0, which NVIDIA's compilers of CUDA 13.0 write. Our libnvrtc asks them, whichever driver the machine has.
inline constexpr int kVersionOfCompilers = 90;

enum class HeadFault : std::uint8_t {
  none,
  no_version,         // it is no PTX
  unknown_version,    // later than what is known
  unknown_target,     // the name of no GPU
  version_too_early,  // for its target
};

struct Head {
  HeadFault fault = HeadFault::none;
  std::string problem{};  // in ptxas' words
  int line = 1;           // of the problem
  std::string target{};   // sm_90a; empty where the text states none
};

// Of text with a version up to `known`: 10 * major + minor.
Head head_of(std::string_view text, int known);

// 90 of sm_90a, 0 of a name of another form.
int architecture_of(std::string_view target);

// Whether PTX can be written for it.
bool is_architecture(int architecture);

// Whether there is such a version of PTX, up to those of the compilers.
bool is_version(int version);

// 9.0 of 90.
std::string version_text(int version);

}  // namespace nvmlkit::ptx
