// The holes that the generator refuses in registry/cuda.
#pragma once

#include "registry/cuda.hpp"

namespace nvmlgen::cuda {

// An exported function without a meaning, a meaning without a function, an optional pointer that is none, an entry
// point of a symbol that is not there, an attribute whose model field is not there or that has no answer or several,
// a text for what is no error. Throws one RegistryError that lists them all.
void refuse_holes(const Registry& registry, const Model& model);

}  // namespace nvmlgen::cuda
