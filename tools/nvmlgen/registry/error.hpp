// The one error of the generator: a registry that cannot be used, with the place.
#pragma once

#include <stdexcept>
#include <string>

namespace nvmlgen {

struct RegistryError : std::runtime_error {
  explicit RegistryError(const std::string& what) : std::runtime_error(what) {}
  RegistryError(const std::string& where, const std::string& what) : std::runtime_error(where + ": " + what) {}
};

}  // namespace nvmlgen
