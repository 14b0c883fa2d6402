#include "emit/bindings/number_type.hpp"

#include "emit/bindings/text.hpp"
#include "registry/error.hpp"

namespace nvmlgen {

NumberType::NumberType(const Values& values, const std::string& owner, const std::string& c_type,
                       const std::string& named)
    : c_type_(c_type), name_(abi_type(c_type)) {
  if (named == "bool" || c_type == "nvmlEnableState_t") {
    name_ = "bool";
    kind_ = Kind::truth;
    return;
  }
  const EnumType* type = named.empty() ? values.enum_of(c_type) : values.enum_named(named);
  if (!type && !named.empty()) throw RegistryError(owner, "enums.yaml has no " + named);
  if (!type) return;
  name_ = type->used_as();
  kind_ = type->flags.empty() ? Kind::enumeration : Kind::flags;
}

std::string NumberType::to_c(const std::string& expression) const {
  switch (kind_) {
    case Kind::plain:
      return expression;
    case Kind::truth:
      if (c_type_ == "nvmlEnableState_t")
        return expression + " ? abi::NVML_FEATURE_ENABLED : abi::NVML_FEATURE_DISABLED";
      return "static_cast<" + abi_type(c_type_) + ">(" + expression + ")";
    case Kind::enumeration:
      return "static_cast<" + abi_type(c_type_) + ">(" + expression + ")";
    case Kind::flags:
      return "static_cast<" + abi_type(c_type_) + ">(" + expression + ".bits())";
  }
  return expression;
}

std::string NumberType::from_c(const std::string& expression) const {
  switch (kind_) {
    case Kind::plain:
      return expression;
    case Kind::truth:
      return expression + (c_type_ == "nvmlEnableState_t" ? " != abi::NVML_FEATURE_DISABLED" : " != 0");
    case Kind::enumeration:
    case Kind::flags:
      return name_ + "(" + expression + ")";
  }
  return expression;
}

}  // namespace nvmlgen
