#include "clang_unit.hpp"

#include <fmt/format.h>

#include "api.hpp"

namespace nvmlgen::headers {

namespace {

void refuse_errors(CXTranslationUnit unit) {
  const unsigned count = clang_getNumDiagnostics(unit);
  for (unsigned i = 0; i < count; ++i) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
    const bool bad = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
    std::string message;
    if (bad) {
      CXFile file = nullptr;
      unsigned line = 0, column = 0;
      clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), &file, &line, &column, nullptr);
      message = fmt::format("{}:{}:{}: {}", text_of(clang_getFileName(file)), line, column,
                            text_of(clang_getDiagnosticSpelling(diagnostic)));
    }
    clang_disposeDiagnostic(diagnostic);
    if (bad) throw Error(message);
  }
}

}  // namespace

std::string text_of(CXString string) {
  const char* text = clang_getCString(string);
  std::string result = text ? text : "";
  clang_disposeString(string);
  return result;
}

std::string spelling(CXCursor cursor) { return text_of(clang_getCursorSpelling(cursor)); }
std::string spelling(CXType type) { return text_of(clang_getTypeSpelling(type)); }

ClangUnit::ClangUnit(const std::string& path, const std::vector<std::string>& defines, const std::string* content,
                     Errors errors) {
  // The target is fixed so that sizes and offsets do not depend on the machine that imports.
  std::vector<std::string> arguments{
      "-x", "c", "-std=c11", "-target", "x86_64-unknown-linux-gnu", "-w", "-ferror-limit=0"};
  for (const std::string& define : defines) arguments.push_back("-D" + define);
  parse(path, arguments, content, CXTranslationUnit_DetailedPreprocessingRecord, errors);
}

ClangUnit::ClangUnit(const std::string& path, const std::vector<std::string>& include_folders,
                     const std::string& content) {
  std::vector<std::string> arguments{"-x", "c++", "-std=c++20", "-w", "-ferror-limit=0"};
  for (const std::string& folder : include_folders) arguments.push_back("-I" + folder);
  parse(path, arguments, &content, CXTranslationUnit_SkipFunctionBodies, Errors::refuse);
}

void ClangUnit::parse(const std::string& path, const std::vector<std::string>& arguments, const std::string* content,
                      unsigned options, Errors errors) {
  std::vector<const char*> raw;
  for (const std::string& argument : arguments) raw.push_back(argument.c_str());

  CXUnsavedFile unsaved{path.c_str(), content ? content->data() : nullptr, content ? content->size() : 0};
  index_ = clang_createIndex(0, 0);
  const CXErrorCode code = clang_parseTranslationUnit2(index_, path.c_str(), raw.data(), static_cast<int>(raw.size()),
                                                       content ? &unsaved : nullptr, content ? 1 : 0,
                                                       options | CXTranslationUnit_KeepGoing, &unit_);
  try {
    if (code != CXError_Success || !unit_) throw Error(fmt::format("{}: cannot be parsed", path));
    if (errors == Errors::refuse) refuse_errors(unit_);
  } catch (...) {
    if (unit_) clang_disposeTranslationUnit(unit_);
    clang_disposeIndex(index_);
    throw;
  }
}

ClangUnit::~ClangUnit() {
  clang_disposeTranslationUnit(unit_);
  clang_disposeIndex(index_);
}

void ClangUnit::each(const std::function<void(CXCursor)>& visit, bool main_file) const {
  each_child(clang_getTranslationUnitCursor(unit_), [&](CXCursor cursor) {
    if (!main_file || clang_Location_isFromMainFile(clang_getCursorLocation(cursor))) visit(cursor);
  });
}

std::vector<std::string> ClangUnit::tokens(CXCursor cursor) const {
  CXToken* list = nullptr;
  unsigned count = 0;
  clang_tokenize(unit_, clang_getCursorExtent(cursor), &list, &count);
  std::vector<std::string> result;
  for (unsigned i = 0; i < count; ++i) {
    if (clang_getTokenKind(list[i]) == CXToken_Comment) continue;
    std::string token = text_of(clang_getTokenSpelling(unit_, list[i]));
    // A continued line comes as part of the token behind it.
    for (std::size_t at; (at = token.find("\\\n")) != std::string::npos;) token.erase(at, 2);
    result.push_back(std::move(token));
  }
  clang_disposeTokens(unit_, list, count);
  return result;
}

std::set<unsigned> ClangUnit::error_lines() const {
  std::set<unsigned> lines;
  for (unsigned i = 0, count = clang_getNumDiagnostics(unit_); i < count; ++i) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit_, i);
    if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
      // The place of use, not the macro's definition in the header.
      unsigned line = 0;
      clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), nullptr, &line, nullptr, nullptr);
      lines.insert(line);
    }
    clang_disposeDiagnostic(diagnostic);
  }
  return lines;
}

void each_child(CXCursor cursor, const std::function<void(CXCursor)>& visit) {
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor, CXClientData data) {
        (*static_cast<const std::function<void(CXCursor)>*>(data))(child);
        return CXChildVisit_Continue;
      },
      const_cast<std::function<void(CXCursor)>*>(&visit));
}

unsigned offset_of(CXSourceLocation location) {
  unsigned offset = 0;
  clang_getFileLocation(location, nullptr, nullptr, nullptr, &offset);
  return offset;
}

unsigned line_of(CXSourceLocation location) {
  unsigned line = 0;
  clang_getFileLocation(location, nullptr, &line, nullptr, nullptr);
  return line;
}

std::string file_of(CXSourceLocation location) {
  CXFile file = nullptr;
  clang_getFileLocation(location, &file, nullptr, nullptr, nullptr);
  return file ? text_of(clang_getFileName(file)) : "";
}

}  // namespace nvmlgen::headers
