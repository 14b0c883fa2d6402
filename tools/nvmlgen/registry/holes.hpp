// The holes that the generator refuses: places where facts, semantics and model disagree.
#pragma once

#include "registry/field_ids.hpp"
#include "registry/semantics.hpp"

namespace nvmlgen {

class Model;

// A function without semantics, semantics without a function, a parameter without a role or a role without a
// parameter, a length that is not there, a chain that leaves out a member of its family, an unknown return code or
// version macro. Throws one RegistryError that lists them all.
void refuse_holes(const Facts& facts, const Semantics& semantics);

// A function that reads or writes what is no model field, and a model field that no function reads and that does not
// say why (later, inert, handled).
void refuse_holes(const Semantics& semantics, const FieldIds& field_ids, const Model& model);

// An answer whose struct is in no family of value types, and a family that no function answers with.
void refuse_value_holes(const Facts& facts, const Semantics& semantics);

// An enum of C that a method or a value shows without a scoped enum, and a scoped enum that nothing shows.
void refuse_enum_holes(const Facts& facts, const Semantics& semantics);

}  // namespace nvmlgen
