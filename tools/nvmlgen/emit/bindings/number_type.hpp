// How a number of C appears in the bindings: as a scoped enum, a set of flags, a truth value, or a number.
#pragma once

#include <string>

#include "registry/facts.hpp"
#include "registry/value_types.hpp"

namespace nvmlgen {

class NumberType {
 public:
  // `named`: what the registry says of it (`enum`); empty where the C type says enough. Throws RegistryError in the
  // name of `owner` for a type that the registry does not have.
  NumberType(const Values& values, const std::string& owner, const std::string& c_type, const std::string& named);

  // "Clock", "ClocksEventReasons", "bool", "unsigned int", "abi::nvmlDevice_t".
  const std::string& name() const { return name_; }
  bool plain() const { return kind_ == Kind::plain; }
  std::string to_c(const std::string& expression) const;
  std::string from_c(const std::string& expression) const;

 private:
  enum class Kind { plain, truth, enumeration, flags };

  std::string c_type_;
  std::string name_;
  Kind kind_ = Kind::plain;
};

}  // namespace nvmlgen
