// Reads one nvml.h into an Api.
#pragma once

#include <filesystem>
#include <string>

#include "api.hpp"
#include "clang_unit.hpp"
#include "doc_comments.hpp"

namespace nvmlgen::headers {

/// The macro that makes a header declare every version of a function.
inline constexpr const char* kAllVersionsMacro = "NVML_NO_UNVERSIONED_FUNC_DEFS";

/// Throws Error (file:line:column: message) when the header does not compile or declares no NVML function.
/// `Api::version` is what the header says of itself: the "NVML VERSION" comment, else NVML_API_VERSION, else empty.
Api read_header(const std::filesystem::path& header);

// The steps of read_header, each filling its part of the Api.
void read_declarations(const ClangUnit& unit, const DocComments& docs, Api& api);
void read_macros(const std::filesystem::path& header, const ClangUnit& unit, const ClangUnit& default_unit,
                 const DocComments& docs, Api& api);
/// Fields of a complete struct or union.
std::vector<Field> read_fields(const ClangUnit& unit, CXCursor record);

/// How a type is passed: int, char, float, enum, struct, handle (pointer to an incomplete struct), ptr, void.
std::string kind_of(CXType type);

}  // namespace nvmlgen::headers
