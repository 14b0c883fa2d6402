// Pieces of C++ that the driver's emitters share.
#pragma once

#include <string>

#include "emit/text/banner.hpp"
#include "registry/semantics.hpp"

namespace nvmlgen {

// "unsigned int* limit, ..." as C++ parameters; `without_self` leaves the handle out.
std::string parameter_list(const Function& function, const FunctionSemantics& entry, bool without_self);

// "limit, ..." as C++ arguments.
std::string argument_list(const Function& function, const FunctionSemantics& entry, bool without_self);

// "unsigned int" + "char *" + "name" -> "char* name"
std::string declare(const Param& param);

// What a model path is in the driver: gpu.power.limit_mw -> gpu->power.limit_mw, system.x -> machine->system().x
std::string model_expression(const std::string& path);

// The class of handle that self is, or an empty string.
enum class SelfKind { none, device, foreign };
SelfKind self_kind(const Function& function, const FunctionSemantics& entry);

// Enumerators that mean a value, not the number of values.
std::vector<std::pair<std::string, std::int64_t>> real_values(const Enum& enumeration);

// Pointers that must not be null, in order.
std::vector<std::string> required_pointers(const Function& function, const FunctionSemantics& entry);

}  // namespace nvmlgen
