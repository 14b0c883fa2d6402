#include "sanitize/device_names.hpp"

#include <algorithm>
#include <cctype>

#include "sanitize/text.hpp"

namespace nvmlkit::sanitize {
namespace {

constexpr std::string_view kInternal = "_INTERNAL_", kConst = " const";

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':'; }

// _INTERNAL_2006b4ae_8_scale_cu_13032f7e::
void leave_out_internal(std::string& name) {
  for (auto at = name.find(kInternal); at != name.npos; at = name.find(kInternal, at)) {
    const auto end = name.find("::", at);
    if (end == name.npos) return;
    name.erase(at, end + 2 - at);
  }
}

// int const* becomes const int*, where the type is one word.
void put_const_first(std::string& name) {
  for (auto at = name.find(kConst); at != name.npos; at = name.find(kConst, at + 1)) {
    const auto behind = at + kConst.size();
    if (behind < name.size() && is_of_name(name[behind])) continue;
    auto start = at;
    while (start > 0 && is_of_name(name[start - 1])) --start;
    if (start == at || (start > 0 && name[start - 1] != '(' && name[start - 1] != ' ' && name[start - 1] != '<'))
      continue;
    if (start > 1 && name[start - 1] == ' ' && name[start - 2] != ',') continue;
    name.erase(at, kConst.size());
    name.insert(start, "const ");
  }
}

// int* becomes int *.
void part_pointers(std::string& name) {
  for (std::size_t k = 1; k < name.size(); ++k)
    if ((name[k] == '*' || name[k] == '&') && (is_of_name(name[k - 1]) || name[k - 1] == '>')) name.insert(k++, 1, ' ');
}

// void scope::add<int>(int*) becomes scope::add.
std::string name_alone(std::string name) {
  leave_out_internal(name);
  name.resize(std::min(name.find_first_of("(<"), name.size()));
  const auto space = name.rfind(' ');
  return space == name.npos ? name : name.substr(space + 1);
}

}  // namespace

std::string device_name(const std::string& name, Demangling how) {
  if (how == Demangling::none) return name;
  auto out = demangled(name);
  if (out == name) return out;
  if (how == Demangling::simple) return name_alone(std::move(out));
  leave_out_internal(out);
  const auto arguments = out.find('(');
  if (arguments == out.npos) return out;
  auto behind = out.substr(arguments);
  put_const_first(behind);
  part_pointers(behind);
  return out.substr(0, arguments) + behind;
}

}  // namespace nvmlkit::sanitize
