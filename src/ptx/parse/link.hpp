// Several PTX modules become one program: what one of them declares as .extern, another one defines.
//
// A text that is linked holds its modules one behind the other; each begins with its `.version`, and a form feed
// between them makes lines count anew. load() and whatever takes PTX (cuModuleLoadData, cuLibraryLoadData) take such a
// text, so that it is what a linker hands on as well.
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
