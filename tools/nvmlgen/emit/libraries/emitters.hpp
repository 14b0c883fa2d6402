// What is generated of registry/libraries: C++ of src/libraries, a table for tests, a page.
#pragma once

#include <string>

#include "registry/libraries.hpp"

namespace nvmlgen::libraries {

std::string emit_types(const Library& library);  // enums of the headers
std::string emit_api(const Library& library);    // declarations of what is answered by code
std::string emit_exports(const Library& library, const std::string& subject);
std::string emit_unsupported(const Library& library);
std::string emit_version_script(const Library& library, const Release& release);
std::string emit_test_table(const Library& library);
std::string emit_reference(const Library& library);

}  // namespace nvmlgen::libraries
