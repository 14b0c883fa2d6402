#include "registry/names.hpp"

#include <cctype>
#include <set>

namespace nvmlgen {

std::string identifier(const std::string& name) {
  static const std::set<std::string> keywords{
      "and",    "auto",   "bool",   "break",    "case",     "char",    "class",  "const",    "default", "delete",
      "double", "else",   "enum",   "explicit", "export",   "float",   "for",    "friend",   "inline",  "int",
      "long",   "new",    "not",    "operator", "or",       "private", "public", "register", "return",  "short",
      "signed", "static", "struct", "switch",   "template", "this",    "union",  "unsigned", "void",    "volatile"};
  return keywords.count(name) ? name + '_' : name;
}

std::string camel_case(const std::string& snake) {
  std::string out;
  bool upper = true;
  for (const char c : snake) {
    if (c == '_') {
      upper = true;
      continue;
    }
    out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return out;
}

std::string snake_case(const std::string& camel) {
  std::string out;
  for (std::size_t i = 0; i < camel.size(); ++i) {
    const auto c = static_cast<unsigned char>(camel[i]);
    const bool after_lower = i > 0 && !std::isupper(static_cast<unsigned char>(camel[i - 1])) && camel[i - 1] != '_';
    const bool unit = i + 2 < camel.size() && camel.compare(i, 3, "MHz") == 0;
    if (std::isupper(c) && (after_lower || unit) && i > 0) out += '_';
    out += static_cast<char>(std::tolower(c));
  }
  // Hungarian remainders say nothing: pThermalSettings, bIsPresent.
  return out.size() > 2 && out[1] == '_' && (out[0] == 'p' || out[0] == 'b') ? out.substr(2) : identifier(out);
}

}  // namespace nvmlgen
