// Functions of the runtime as the C++ of src/driver/cudart has them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "registry/cuda.hpp"

namespace nvmlgen::cuda {

// A function with the signature that it has in some of our libraries, by their major versions.
struct RuntimeSignature {
  const RuntimeFunction* function;
  std::set<int> libraries;

  // For the preprocessor; empty where all libraries have it.
  std::string condition() const;
};

// Of every function that is simulated, by name.
std::vector<RuntimeSignature> runtime_signatures(const Registry& registry);

// The type of src/driver/cudart.
std::string runtime_type(const Registry& registry, const RuntimeParam& param);

// "Error cudaFree(void* devPtr)"
std::string runtime_declaration(const Registry& registry, const RuntimeFunction& function);

// Texts of functions with one condition stand together, between #if and #endif.
class Conditional {
 public:
  void add(const std::string& condition, const std::string& text);
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> parts_;
};

}  // namespace nvmlgen::cuda
