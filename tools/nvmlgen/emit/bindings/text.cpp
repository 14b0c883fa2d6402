#include "emit/bindings/text.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>

#include "registry/error.hpp"

namespace nvmlgen {
namespace {

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

bool is_macro(const Facts& facts, const std::string& name) {
  return std::any_of(facts.constants.begin(), facts.constants.end(), [&](const Constant& c) { return c.name == name; });
}

}  // namespace

std::string lower_without(const std::string& prefix, const std::string& name) {
  std::string out = starts_with(name, prefix.c_str()) ? name.substr(prefix.size()) : name;
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string constant_name(const Facts& facts, const std::string& macro) {
  std::string name = macro;
  if (starts_with(macro, "NVML_"))
    name = macro.substr(5);
  else if (starts_with(macro, "nvml"))
    name = macro.substr(4);
  if (name.empty()) throw RegistryError("constants.json", "constant '" + macro + "' is only a prefix");
  const bool digit = std::isdigit(static_cast<unsigned char>(name[0])) != 0;
  return name == macro || digit || is_macro(facts, name) ? "k_" + name : name;
}

std::string spelled_in_abi(const Facts& facts, const std::string& constant) {
  return is_macro(facts, constant) ? constant_name(facts, constant) : constant;
}

bool names_a_type(const Facts& facts, const std::string& name) {
  return facts.structure(name) || facts.enumeration(name) || facts.type_definition(name) || facts.is_handle(name);
}

std::string tag_of(const std::string& handle) { return handle.substr(0, handle.size() - 2) + "_st"; }

std::string abi_type(const std::string& type) {
  std::string out;
  for (std::size_t i = 0; i < type.size(); ++i) {
    const bool word_start = i == 0 || !(std::isalnum(static_cast<unsigned char>(type[i - 1])) || type[i - 1] == '_');
    if (word_start && type.compare(i, 4, "nvml") == 0) out += "abi::";
    if (type[i] == ' ' && i + 1 < type.size() && type[i + 1] == '*') continue;
    out += type[i];
  }
  return out;
}

Signature signature_of(const Facts& facts, const Function& function) {
  const Function* source = &function;
  if (function.library_only) {
    const auto alias = facts.function_aliases.find(function.name);
    source = alias == facts.function_aliases.end() ? nullptr : facts.function(alias->second);
    if (!source) return {};
  }
  Signature s{abi_type(source->ret), ""};
  for (const auto& p : source->params) s.params += (s.params.empty() ? "" : ", ") + abi_type(p.type) + ' ' + p.name;
  return s;
}

std::string unit_type(const std::string& unit) {
  static const std::map<std::string, std::string> units{{"mW", "Milliwatts"},
                                                        {"mJ", "Millijoules"},
                                                        {"mV", "Millivolts"},
                                                        {"MHz", "Megahertz"},
                                                        {"C", "Celsius"},
                                                        {"B", "Bytes"},
                                                        {"KiB", "Kibibytes"},
                                                        {"MiB", "Mebibytes"},
                                                        {"bit", "Bits"},
                                                        {"%", "Percent"},
                                                        {"KB/s", "KilobytesPerSecond"},
                                                        {"MBps", "MegabytesPerSecond"},
                                                        {"MB/s", "MegabytesPerSecond"},
                                                        {"fps", "FramesPerSecond"},
                                                        {"rpm", "RevolutionsPerMinute"},
                                                        {"s", "std::chrono::seconds"},
                                                        {"ms", "std::chrono::milliseconds"},
                                                        {"us", "std::chrono::microseconds"},
                                                        {"ns", "std::chrono::nanoseconds"}};
  const auto it = units.find(unit);
  return it == units.end() ? "" : it->second;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

std::string constant_type(const Constant& c) {
  if (c.type == "char*") return "const char*";
  // Windows has 32 bits in it, and the same constants.
  if (c.type == "unsigned long") return "unsigned long long";
  return c.type;
}

std::string literal(const Constant& c) {
  if (c.type == "char*") return quoted(c.text);
  if (c.type == "unsigned int") return std::to_string(static_cast<std::uint32_t>(c.number)) + "U";
  if (c.type == "unsigned long" || c.type == "unsigned long long")
    return std::to_string(static_cast<std::uint64_t>(c.number)) + "ULL";
  if (c.type == "long long" || c.type == "long") {
    if (c.number == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807LL - 1)";
    return std::to_string(c.number) + (c.type == "long" ? "L" : "LL");
  }
  if (c.type == "int") return std::to_string(c.number);
  throw RegistryError("constants.json", "constant '" + c.name + "' has the unknown type '" + c.type + "'");
}

}  // namespace nvmlgen
