// Links several PTX modules into one program: a module may declare as .extern the definitions of another one.
//
// A text may contain several modules. Each begins with its `.version`, and a form feed between them restarts the line
// count. load() and all functions that take PTX (cuModuleLoadData, cuLibraryLoadData) accept such a text. The linker
// also returns its result in this form.
#pragma once

#include <span>
#include <string>

#include "ptx/parse/source.hpp"

namespace nvmlkit::ptx {

// The text of all modules.
std::string join(std::span<const std::string> modules);

// Tells every declaration of the parts what it means. Throws Error for a name that two parts define. What nothing
// defines is an error where it is used.
void resolve(Source& source);

// The definition behind a declaration; null where there is none.
const Variable* definition_of(const Variable& variable);
const Function* definition_of(const Function& function);

}  // namespace nvmlkit::ptx
