// libclang behind RAII: one parsed header, with errors as exceptions.
#pragma once

#include <clang-c/Index.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace nvmlgen::headers {

/// Takes ownership of a CXString.
std::string text_of(CXString string);
std::string spelling(CXCursor cursor);
std::string spelling(CXType type);

class ClangUnit {
 public:
  enum class Errors { refuse, allow };

  /// Parses `path`, or `content` under that name when it is not null. Throws Error as file:line:column: message
  /// when the text does not compile and `errors` is `refuse`.
  ClangUnit(const std::string& path, const std::vector<std::string>& defines, const std::string* content,
            Errors errors);
  /// Parses `content` as C++20, without the bodies of functions. Throws Error when it does not compile.
  ClangUnit(const std::string& path, const std::vector<std::string>& include_folders, const std::string& content);
  ~ClangUnit();
  ClangUnit(const ClangUnit&) = delete;
  ClangUnit& operator=(const ClangUnit&) = delete;

  /// Direct children of the unit in the order of the text; only those of the main file with `main_file`.
  void each(const std::function<void(CXCursor)>& visit, bool main_file = true) const;
  std::vector<std::string> tokens(CXCursor cursor) const;
  /// Lines of the main file with errors; of interest when they are allowed.
  std::set<unsigned> error_lines() const;

 private:
  void parse(const std::string& path, const std::vector<std::string>& arguments, const std::string* content,
             unsigned options, Errors errors);

  CXIndex index_ = nullptr;
  CXTranslationUnit unit_ = nullptr;
};

void each_child(CXCursor cursor, const std::function<void(CXCursor)>& visit);
unsigned offset_of(CXSourceLocation location);
unsigned line_of(CXSourceLocation location);
std::string file_of(CXSourceLocation location);

}  // namespace nvmlgen::headers
