// Emitters for `nvmlkit capture`: its questions to a driver, and the fields that the answers show.
#pragma once

#include <string>

#include "registry/registry.hpp"

namespace nvmlgen {

// src/capture/generated/questions.cpp: every function that reads.
std::string emit_questions(const Registry& registry);

// src/capture/generated/shown.cpp: where answers show fields of the model.
std::string emit_shown(const Registry& registry);

}  // namespace nvmlgen
