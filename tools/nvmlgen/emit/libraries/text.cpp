#include "emit/libraries/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace nvmlgen::libraries {
namespace {

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

std::string our_type(const Library& library, const std::string& type) {
  std::string out;
  // What stands for words of several words comes first, "unsigned long long" for example.
  if (const auto whole = library.types.find(type); whole != library.types.end()) return whole->second;
  for (std::size_t at = 0; at < type.size();) {
    if (!is_of_word(type[at])) {
      if (type[at] == '*' || type[at] == '&')
        while (out.ends_with(' ')) out.pop_back();
      out += type[at++];
      if (out.ends_with('*') && at < type.size() && is_of_word(type[at])) out += ' ';
      continue;
    }
    auto end = at;
    while (end < type.size() && is_of_word(type[end])) ++end;
    const auto word = type.substr(at, end - at);
    const auto known = library.types.find(word);
    if (word != "struct" && word != "enum") out += known == library.types.end() ? word : known->second;
    at = end;
    if (word == "struct" || word == "enum") ++at;  // its blank
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string declaration(const Library& library, const Function& function) {
  std::vector<std::string> params;
  for (const auto& p : function.params) {
    auto type = our_type(library, p.type);
    std::string dimension;
    if (const auto at = type.find('['); at != std::string::npos) {  // an array is a pointer
      type = type.substr(0, at);
      while (type.ends_with(' ')) type.pop_back();
      type += '*';
    }
    params.push_back(type + " " + p.name);
  }
  return fmt::format("{} {}({})", our_type(library, function.returns), function.name, fmt::join(params, ", "));
}

std::string arguments(const Function& function, std::size_t skipped) {
  std::vector<std::string> names;
  for (std::size_t k = skipped; k < function.params.size(); ++k) names.push_back(function.params[k].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool takes_handle(const Library& library, const Function& function) {
  const auto& unread = library.unchecked_handle;
  return !library.handle.empty() && !function.params.empty() && function.params[0].type == library.handle &&
         std::find(unread.begin(), unread.end(), function.name) == unread.end();
}

}  // namespace nvmlgen::libraries
