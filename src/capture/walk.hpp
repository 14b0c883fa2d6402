// Asks a driver all questions.
#pragma once

#include <nvmlkit/library.hpp>

#include "capture/answers.hpp"

namespace nvmlkit::capture {

// Calls functions that read and no other, so that nothing of the machine changes.
Answers ask_everything(const nvml::Library& library);

}  // namespace nvmlkit::capture
