#include "emit/text/markdown.hpp"

#include <regex>
#include <set>

#include "emit/bindings/method.hpp"
#include "registry/names.hpp"

namespace nvmlgen {

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::string markdown(const std::string& text) {
  std::string out = std::regex_replace(text, std::regex("(In )?<(nvmlkit/[\\w/]+\\.hpp)>"), "$1`$2`");
  out = std::regex_replace(out, std::regex("\\b((?:abi|nvmlkit)::[\\w.:]*\\w(?:\\.\\.\\.)?)"), "`$1`");
  return std::regex_replace(out, std::regex("<"), "\\<");
}

std::string page_file(const std::string& class_name) {
  if (const auto space = class_name.find(' '); space != std::string::npos)
    return lower(class_name.substr(0, space)) + '_' + class_name.substr(space + 1);
  return snake_case(class_name);
}

std::string value_links(const Values& values, const std::string& code) {
  static const std::regex word("\\w+");
  std::set<std::string> seen;
  std::string out;
  const auto link = [&](const std::string& name, const char* page) {
    if (seen.insert(name).second)
      out += (out.empty() ? "[" : ", [") + name + "](../" + page + ".md#" + lower(name) + ")";
  };
  for (std::sregex_iterator it(code.begin(), code.end(), word), end; it != end; ++it) {
    for (const auto& type : values.types)
      if (type.name == it->str()) link(type.name, "values");
    if (const EnumType* type = values.enum_named(it->str())) link(type->used_as(), "enums");
  }
  return out;
}

std::string method_link(const Registry& registry, const FunctionSemantics& function) {
  std::string owner, name;
  if (const auto colons = function.by_hand.find("::"); !function.by_hand.empty()) {
    owner = colons == std::string::npos ? "Free functions" : function.by_hand.substr(0, colons);
    name = colons == std::string::npos ? function.by_hand : function.by_hand.substr(colons + 2);
  } else if (const auto method = method_for(registry.facts, registry.semantics, function)) {
    owner = function.on;
    name = method->name;
  } else {
    return "";
  }
  const std::string shown = owner == "Free functions" ? name : owner + "::" + name;
  const std::string anchor = name[0] == '~' ? name.substr(1) : name;
  return "[" + shown + "](classes/" + page_file(owner) + ".md#" + lower(anchor) + ")";
}

}  // namespace nvmlgen
