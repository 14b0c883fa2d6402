// Facts from the documentation comments of a header: groups, return codes, product ranges, deprecation notes. The
// sentences stay in the header.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlgen::headers {

class DocComments {
 public:
  explicit DocComments(std::string text);

  /// Title of the innermost documentation group open at `offset`.
  std::optional<std::string> group(std::size_t offset) const;
  /// The documentation comment of the declaration whose name is at `offset`; empty without one.
  std::string_view of_declaration(std::size_t offset) const;
  /// The version in a deprecation macro before the declaration whose name is at `offset`.
  std::string deprecated(std::size_t offset) const;
  /// True when the comment behind the text at `offset`, on its line, begins with "Deprecated".
  bool marked_deprecated(std::size_t offset) const;
  /// The version in the comment "NVML VERSION: x.y.z" that published collections put on top.
  std::string header_version() const;

 private:
  struct Comment {
    std::size_t begin, end;
    bool doc;
  };
  struct GroupMark {
    std::size_t offset;
    std::vector<std::string> stack;
  };
  void scan_comments();
  void scan_groups();
  std::size_t declaration_begin(std::size_t offset) const;
  std::string_view view(const Comment& comment) const;

  std::string text_;
  std::vector<Comment> comments_;
  std::vector<GroupMark> groups_;
};

/// Return codes listed in a documentation comment, each once, in order.
std::vector<std::string> documented_returns(std::string_view comment);
/// Product range of a documentation comment in short form ("kepler+", "all"), empty when it gives none or one that
/// no rule covers.
std::string documented_product(std::string_view comment);

}  // namespace nvmlgen::headers
