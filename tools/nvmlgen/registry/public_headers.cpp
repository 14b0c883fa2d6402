#include "registry/public_headers.hpp"

#include <algorithm>
#include <fstream>
#include <regex>

namespace nvmlgen {
namespace {

bool starts(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

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

std::string name_in(const std::string& declaration) {
  static const std::regex call("(~?\\w+)\\(");
  std::smatch found;
  return std::regex_search(declaration, found, call) ? found.str(1) : "";
}

class HeaderReader {
 public:
  HeaderReader(PublicHeaders& out, std::string file) : out_(out), file_(std::move(file)) {}

  void line(const std::string& text) {
    if (!skip_until_.empty()) {
      ++skipped_;
      // A namespace of one declaration ends without a comment.
      if (starts(text, skip_until_) || (skipped_ == 2 && text == "}")) skip_until_.clear();
      return;
    }
    skipped_ = 0;
    if (!nested_.declaration.empty()) return nested_line(text);
    if (open_.empty() && trimmed(text).empty()) return comment_.clear();
    if (open_.empty() && starts(trimmed(text), "//")) {
      comment_ += (comment_.empty() ? "" : " ") + trimmed(trimmed(text).substr(2));
      return;
    }
    if (starts(text, "namespace detail") || text.find("::detail {") != std::string::npos) {
      skip_until_ = "}  // namespace";
      return;
    }
    if (in_class_ ? class_line(text) : namespace_line(text)) return;
    comment_.clear();
  }

 private:
  // True when the line belongs to a declaration that is not over.
  bool namespace_line(const std::string& text) {
    if (open_.empty() && starts(text, "class ")) {
      if (text.back() == '{') open_class(text);
      return false;
    }
    if (open_.empty() && (starts(text, "struct ") || starts(text, "enum class "))) {
      if (text.back() == '{') open_nested(text, "};", true);
      return false;
    }
    if (open_.empty() && (text[0] == '#' || text[0] == '}' || starts(text, "namespace") || starts(text, "using") ||
                          starts(text, "concept") || starts(text, "inline constexpr")))
      return false;
    return declaration_line(text, "}", [&](PublicMember member) {
      const bool shown = !member.doc.empty() && !starts(member.declaration, "template");
      if (shown && member.declaration.find("operator") == std::string::npos)
        out_.functions.push_back(std::move(member));
    });
  }

  bool class_line(const std::string& text) {
    if (starts(text, "};")) {
      in_class_ = false;
      return false;
    }
    if (text == " public:" || text == " private:" || text == " protected:") {
      public_ = text == " public:";
      return false;
    }
    const std::string code = trimmed(text);
    if (open_.empty() && (starts(code, "struct ") || starts(code, "enum ") || starts(code, "class "))) {
      if (code.back() == '{') open_nested(code, "  };", public_ && !starts(code, "class "));
      return false;
    }
    PublicClass& owner = out_.classes.back();
    if (open_.empty() && starts(code, "using ")) {
      const auto colons = code.rfind("::");
      if (public_ && colons != std::string::npos && code.find('=') == std::string::npos)
        owner.used.push_back(code.substr(colons + 2, code.size() - colons - 3));
      return false;
    }
    return declaration_line(text, "  }", [&](PublicMember member) {
      const bool special = member.name == owner.name || member.name.empty() || starts(member.declaration, "friend") ||
                           member.declaration.find("operator") != std::string::npos;
      if (public_ && !special) owner.members.push_back(std::move(member));
    });
  }

  // Collects lines until the declaration ends; then hands it over.
  template <class Done>
  bool declaration_line(const std::string& text, const char* body_end, Done done) {
    open_ += (open_.empty() ? "" : " ") + trimmed(text.substr(0, text.find("  // ", text.find_first_not_of(' '))));
    const char last = open_.back();
    if (last != ';' && last != '{' && last != '}') return true;
    if (last == '{') skip_until_ = body_end;
    PublicMember member;
    member.declaration = without_body(open_);
    member.name = name_in(member.declaration);
    take_comment(member, comment_);
    open_.clear();
    if (!member.name.empty()) done(std::move(member));
    return false;
  }

  // A type whose text is kept as a whole.
  void open_nested(const std::string& code, const char* end, bool shown) {
    nested_ = {};
    nested_.name = code.substr(code.find(' ') + 1);
    if (starts(nested_.name, "class ")) nested_.name.erase(0, 6);
    nested_.name = nested_.name.substr(0, nested_.name.find_first_of(" :"));
    take_comment(nested_, comment_);
    nested_.declaration = code + '\n';
    nested_end_ = end;
    nested_shown_ = shown;
  }

  void nested_line(const std::string& text) {
    const std::size_t indent = nested_end_.find('}');
    nested_.declaration += (text.size() > indent ? text.substr(indent) : trimmed(text)) + '\n';
    if (!starts(text, nested_end_)) return;
    nested_.declaration.pop_back();
    auto& list = in_class_ ? out_.classes.back().members : out_.types;
    if (nested_shown_) list.push_back(std::move(nested_));
    nested_ = {};
    comment_.clear();
  }

  void open_class(const std::string& text) {
    PublicMember described;
    take_comment(described, comment_);
    PublicClass c;
    c.name = text.substr(text.find(' ') + 1);
    c.name = c.name.substr(0, c.name.find_first_of(" :"));
    c.header = file_;
    c.doc = described.doc;
    public_ = false;
    in_class_ = true;
    out_.classes.push_back(std::move(c));
  }

  PublicHeaders& out_;
  std::string file_;
  std::string comment_;
  std::string open_;        // a declaration that is not over
  int skipped_ = 0;         // lines
  std::string skip_until_;  // what the first line after something that is passed over begins with
  PublicMember nested_;
  std::string nested_end_;
  bool nested_shown_ = false;
  bool in_class_ = false;
  bool public_ = false;
};

}  // namespace

std::vector<const PublicMember*> PublicClass::find(const std::string& member) const {
  std::vector<const PublicMember*> found;
  for (const auto& m : members)
    if (m.name == member) found.push_back(&m);
  return found;
}

const PublicClass* PublicHeaders::find(const std::string& name) const {
  const auto it = std::find_if(classes.begin(), classes.end(), [&](const PublicClass& c) { return c.name == name; });
  return it == classes.end() ? nullptr : &*it;
}

PublicHeaders read_public_headers(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".hpp") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  PublicHeaders headers;
  for (const auto& file : files) {
    HeaderReader reader(headers, file.filename().string());
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) reader.line(line);
  }
  return headers;
}

}  // namespace nvmlgen
