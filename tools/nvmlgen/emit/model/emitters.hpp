// Emitters of the model. Each returns the text of one file.
#pragma once

#include <string>

#include "registry/facts.hpp"
#include "registry/model.hpp"

namespace nvmlgen {

std::string emit_model_structs(const Model& model, const Facts& facts);             // src/sim/generated/model.hpp
std::string emit_model_descriptors_header(const Model& model, const Facts& facts);  // .../model_descriptors.hpp
std::string emit_model_descriptors(const Model& model, const Facts& facts);         // .../model_descriptors.cpp
std::string emit_model_schema(const Model& model, const Facts& facts);              // profiles/machine.schema.json
std::string emit_model_reference(const Model& model, const Facts& facts);           // docs/reference/model.md

// The name of a field's C++ member: its own name, with an underscore behind it where C++ has it as a keyword.
std::string cpp_member(const ModelField& field);

// The same of a path below a GPU: "ecc.errors.volatile_".
std::string cpp_path(const std::string& path);

// The enumerator of a field that time moves: thermal_temperature_gpu_c.
std::string live_name(const ModelLeaf& leaf);

// The type that holds one value of the field in C++.
std::string cpp_value_type(const ModelField& field);

}  // namespace nvmlgen
