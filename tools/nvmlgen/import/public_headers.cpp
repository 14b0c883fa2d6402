#include "import/public_headers.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "import/api.hpp"
#include "import/clang_unit.hpp"
#include "registry/error.hpp"

namespace nvmlgen {
namespace {

namespace fs = std::filesystem;
using headers::spelling;

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// Moves the C functions that a comment names out of it.
void take_comment(PublicMember& member, std::string comment) {
  static const std::regex named("@c (nvml\\w+)( \\(since [0-9.]+\\))?");
  for (std::sregex_iterator it(comment.begin(), comment.end(), named), end; it != end; ++it)
    member.c_functions.push_back(it->str(1));
  comment = std::regex_replace(comment, named, "");
  comment = std::regex_replace(comment, std::regex(" +([.;,])(?=\\s|$)"), "$1");
  comment = std::regex_replace(comment, std::regex("^[;., ]+| {2,}"), " ");
  member.doc = trimmed(comment);
}

// The part of a declaration that a reader needs: neither a body nor what a constructor does.
std::string without_body(const std::string& declaration) {
  int depth = 0;
  for (std::size_t i = 0; i < declaration.size(); ++i) {
    if (declaration[i] == '(') ++depth;
    if (declaration[i] == ')') --depth;
    if (depth == 0 && (declaration[i] == ';' || declaration.compare(i, 2, " {") == 0)) return declaration.substr(0, i);
  }
  return declaration;
}

bool starts(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

// The lines of a header, which has one declaration after the other, as clang-format leaves them.
class Source {
 public:
  explicit Source(const fs::path& file) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) lines_.push_back(line);
  }

  const std::string& line(unsigned number) const { return lines_.at(number - 1); }

  // The comment that ends on the line before.
  std::string comment_above(unsigned number) const {
    unsigned first = number;
    while (first > 1 && starts(trimmed(line(first - 1)), "//")) --first;
    std::string out;
    for (; first < number; ++first) out += (out.empty() ? "" : " ") + trimmed(trimmed(line(first)).substr(2));
    return out;
  }

  // In one line, without comments at the ends of lines.
  std::string declaration(unsigned first, unsigned last) const {
    std::string out;
    for (; first <= last; ++first) {
      const auto& text = line(first);
      out += (out.empty() ? "" : " ") + trimmed(text.substr(0, text.find("  // ", text.find_first_not_of(' '))));
    }
    return without_body(out);
  }

  // As it stands, but for the indentation of its first line.
  std::string whole(unsigned first, unsigned last) const {
    const auto indent = line(first).find_first_not_of(' ');
    std::string out;
    for (; first <= last; ++first) {
      const auto& text = line(first);
      out += (out.empty() ? "" : "\n") + (text.size() > indent ? text.substr(indent) : trimmed(text));
    }
    return out;
  }

 private:
  std::vector<std::string> lines_;
};

struct Extent {
  unsigned first, last;
};

Extent extent_of(CXCursor cursor) {
  const auto range = clang_getCursorExtent(cursor);
  return {headers::line_of(clang_getRangeStart(range)), headers::line_of(clang_getRangeEnd(range))};
}

bool is_type(CXCursorKind kind) { return kind == CXCursor_StructDecl || kind == CXCursor_EnumDecl; }

// What one header declares.
class HeaderReader {
 public:
  explicit HeaderReader(const fs::path& file) : file_(file.filename().string()), source_(file) {}

  PublicHeaders found;

  void declaration(CXCursor cursor) {
    const auto kind = clang_getCursorKind(cursor);
    if (!clang_isCursorDefinition(cursor) && kind != CXCursor_FunctionDecl) return;
    const auto extent = extent_of(cursor);
    if (kind == CXCursor_FunctionDecl) {
      auto function = member(cursor);
      if (!function.doc.empty() && !starts(function.declaration, "template") && !is_operator(function))
        found.functions.push_back(std::move(function));
    } else if (is_type(kind) && extent.first != extent.last) {
      if (starts(source_.line(extent.first), "struct ") || starts(source_.line(extent.first), "enum class "))
        found.types.push_back(type(cursor));
    } else if (kind == CXCursor_ClassDecl && starts(source_.line(extent.first), "class ")) {
      class_of(cursor);
    }
  }

 private:
  static bool is_operator(const PublicMember& m) { return m.declaration.find("operator") != std::string::npos; }

  PublicMember described(CXCursor cursor) const {
    PublicMember out;
    out.name = spelling(cursor);
    out.name = out.name.substr(0, out.name.find('<'));
    take_comment(out, source_.comment_above(extent_of(cursor).first));
    return out;
  }

  PublicMember member(CXCursor cursor) const {
    auto out = described(cursor);
    const auto extent = extent_of(cursor);
    out.declaration = source_.declaration(extent.first, extent.last);
    return out;
  }

  PublicMember type(CXCursor cursor) const {
    auto out = described(cursor);
    const auto extent = extent_of(cursor);
    out.declaration = source_.whole(extent.first, extent.last);
    return out;
  }

  void class_of(CXCursor cursor) {
    const auto about = described(cursor);
    PublicClass c;
    c.name = about.name;
    c.header = file_;
    c.doc = about.doc;
    headers::each_child(cursor, [&](CXCursor child) {
      if (clang_getCXXAccessSpecifier(child) == CX_CXXPublic) class_member(c, child);
    });
    found.classes.push_back(std::move(c));
  }

  void class_member(PublicClass& owner, CXCursor cursor) const {
    switch (clang_getCursorKind(cursor)) {
      case CXCursor_UsingDeclaration:
        owner.used.push_back(spelling(cursor));
        return;
      case CXCursor_StructDecl:
      case CXCursor_EnumDecl:
        if (const auto extent = extent_of(cursor); extent.first != extent.last) owner.members.push_back(type(cursor));
        return;
      case CXCursor_CXXMethod:
      case CXCursor_FunctionTemplate:
      case CXCursor_Destructor: {
        auto method = member(cursor);
        if (method.name != owner.name && !is_operator(method)) owner.members.push_back(std::move(method));
        return;
      }
      default:
        return;
    }
  }

  std::string file_;
  Source source_;
};

class DirectoryReader {
 public:
  explicit DirectoryReader(const fs::path& directory) : directory_(directory.lexically_normal()) {
    for (const auto& entry : fs::directory_iterator(directory_))
      if (entry.path().extension() == ".hpp") readers_.try_emplace(entry.path().filename(), entry.path());
  }

  PublicHeaders read() {
    std::string all;
    for (const auto& [file, reader] : readers_) all += "#include <" + (directory_.filename() / file).string() + ">\n";
    const headers::ClangUnit unit((directory_.parent_path() / "all.cpp").string(), include_folders(), all);
    unit.each([&](CXCursor cursor) { declaration(cursor); }, false);
    PublicHeaders out;
    for (auto& [file, reader] : readers_) {
      std::ranges::move(reader.found.classes, std::back_inserter(out.classes));
      std::ranges::move(reader.found.types, std::back_inserter(out.types));
      std::ranges::move(reader.found.functions, std::back_inserter(out.functions));
    }
    return out;
  }

 private:
  std::vector<std::string> include_folders() const {
    std::vector<std::string> out{directory_.parent_path().string()};
    std::istringstream others(NVMLGEN_INCLUDE_FOLDERS);
    for (std::string folder; std::getline(others, folder, '|');)
      if (!folder.empty()) out.push_back(folder);
    return out;
  }

  void declaration(CXCursor cursor) {
    const auto file = fs::path(headers::file_of(clang_getCursorLocation(cursor))).lexically_normal();
    if (file.parent_path() != directory_) return;
    if (clang_getCursorKind(cursor) != CXCursor_Namespace) return readers_.at(file.filename()).declaration(cursor);
    if (spelling(cursor) != "detail") headers::each_child(cursor, [&](CXCursor child) { declaration(child); });
  }

  fs::path directory_;
  std::map<fs::path, HeaderReader> readers_;
};

}  // namespace

PublicHeaders read_public_headers(const fs::path& directory) try {
  return DirectoryReader(directory).read();
} catch (const headers::Error& e) {
  throw RegistryError(directory.string(), e.what());
}

}  // namespace nvmlgen
