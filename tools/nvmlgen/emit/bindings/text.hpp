// The spelling of names and types of the C API in the bindings. Shared by the emitters of the bindings.
#pragma once

#include <string>

#include "emit/text/banner.hpp"
#include "registry/facts.hpp"
#include "registry/value_types.hpp"

namespace nvmlgen {

// "NVML_ERROR_NOT_SUPPORTED" -> "not_supported" with prefix "NVML_ERROR_".
std::string lower_without(const std::string& prefix, const std::string& name);

// The spelling of a #define constant in nvmlkit::abi. The original spelling is a macro in NVIDIA's header, so it loses
// its prefix (NVML_FI_MAX -> FI_MAX, nvmlFlagForce -> FlagForce). A name that has no prefix, would start with a digit,
// or would still be a macro, gets "k_" in front (MAX_CLK_DOMAINS -> k_MAX_CLK_DOMAINS).
std::string constant_name(const Facts& facts, const std::string& macro);

// The same for an enumerator too, which keeps its spelling.
std::string spelled_in_abi(const Facts& facts, const std::string& constant);

// True for a function-like alias of a type (nvmlEccBitType_t), which is no constant.
bool names_a_type(const Facts& facts, const std::string& name);

// The struct that a handle points to: "nvmlDevice_t" -> "nvmlDevice_st".
std::string tag_of(const std::string& handle);

// "const nvmlUUID_t *" -> "const abi::nvmlUUID_t*".
std::string abi_type(const std::string& type);

// Return type and parameters of a function pointer as {"abi::nvmlReturn_t", "abi::nvmlDevice_t, unsigned int*"}.
struct Signature {
  std::string ret;
  std::string params;
};

// Library-only functions take the signature of the function that their old name was mapped to.
// Empty `ret` if it is unknown.
Signature signature_of(const Facts& facts, const Function& function);

// A C string literal with quotes and escapes.
std::string quoted(const std::string& text);

// A literal of the constant's own type, with the suffix that keeps it.
// Its type and its value in C++.
std::string constant_type(const Constant& constant);
std::string literal(const Constant& constant);

// The type of a quantity: "mW" -> "Milliwatts". Empty when there is none.
std::string unit_type(const std::string& unit);

}  // namespace nvmlgen
