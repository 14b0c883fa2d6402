#include "emit/driver/impersonation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "emit/driver/text.hpp"

namespace nvmlgen {

std::string emit_driver_branches(const Registry& registry) {
  std::string out = kBanner;
  out += R"(// Driver branches that the simulation can be.
#pragma once

#include <string_view>

namespace nvmlkit::sim {

struct DriverBranch {
  unsigned int number;
  std::string_view version;  // what the bare number stands for
  std::string_view header;   // whose API it has
  bool exports_known;        // its library was looked at
};

// By number.
inline constexpr DriverBranch driver_branches[] = {
)";
  for (const auto& b : registry.driver_branches)
    out += fmt::format("    {{{}, \"{}\", \"{}\", {}}},\n", b.number, b.version, b.header,
                       registry.facts.exports.count(std::to_string(b.number)) > 0);
  out += R"(};

// The newest CUDA that a branch supports; of older branches, too, which machine files name.
struct BranchCuda {
  unsigned int branch, major, minor;
};

// By number.
inline constexpr BranchCuda kBranchCuda[] = {
)";
  for (const auto& [branch, cuda] : registry.cuda_of_branches) {
    const auto dot = cuda.find('.');
    out += fmt::format("    {{{}, {}, {}}},\n", branch, cuda.substr(0, dot), cuda.substr(dot + 1));
  }
  out += "};\n\n}  // namespace nvmlkit::sim\n";
  return out;
}

// Drivers know more ids than the headers of their time name: nvidia-smi of 535 and 550 reads 226 and 227, which no
// header before 12.5 has. Below the first id that ever changed its meaning, every driver knows every id.
constexpr std::int64_t kFirstRenumbered = 251;

std::string emit_field_numbering(const Registry& registry) {
  std::string out = kBanner;
  out += R"(// Field ids as drivers of each branch number them.
#include "driver/nvml/field_values/numbering.hpp"

namespace nvmlkit::driver {
namespace {

)";
  std::string rows;
  for (const auto& b : registry.driver_branches) {
    const auto add = [&](const Renumbering& numbering) {
      const auto since = numbering.since;
      std::vector<std::string> moved;
      for (const auto& [id, today] : numbering.moved_fields) moved.push_back(fmt::format("{{{}, {}}}", id, today));
      const std::string name = fmt::format("kMoved{}_{}", b.number, since);
      if (!moved.empty()) out += fmt::format("constexpr MovedField {}[] = {{{}}};\n", name, fmt::join(moved, ", "));
      rows += fmt::format("    {{{}, {}, {}, {}}},\n", b.number, since,
                          std::max(numbering.field_limit, kFirstRenumbered), moved.empty() ? "{}" : name);
    };
    add({0, b.field_limit, b.moved_fields});
    for (const auto& later : b.renumberings) add(later);
  }
  out += fmt::format(R"(
constexpr FieldNumbering kNumberings[] = {{
{}}};

}}  // namespace

std::span<const FieldNumbering> field_numberings() {{ return kNumberings; }}

}}  // namespace nvmlkit::driver
)",
                     rows);
  return out;
}

std::string emit_in_process_table(const Registry& registry) {
  std::string out = kBanner;
  out +=
      R"(// The functions of the driver as it is linked into a program: not exported, and with names that clash with no library.
#pragma once

#include "driver/nvml/call/call.hpp"
#include "nvmlkit/generated/table.hpp"

namespace nvmlkit::driver {

inline namespace in_process {
using namespace nvmlkit::abi;

)";
  std::string assignments;
  for (const auto& f : registry.facts.functions) {
    if (f.name == "nvmlInternalGetExportTable") continue;  // its signature is not part of the table
    const auto& entry = registry.semantics.functions.at(f.name);
    out += fmt::format("{} {}({});\n", f.ret == "const char *" ? "const char*" : f.ret, f.name,
                       parameter_list(f, entry, false));
    assignments += fmt::format("  table.{} = &{};\n", f.stem(), f.name);
  }
  out += "\n}  // namespace in_process\n\ninline nvml::Table in_process_table() {\n  nvml::Table table;\n" +
         assignments + "  return table;\n}\n\n}  // namespace nvmlkit::driver\n";
  return out;
}

namespace {

// "12.4.127" as numbers that compare.
std::vector<int> numbers_of(const std::string& header) {
  std::vector<int> out;
  std::istringstream text(header);
  for (std::string part; std::getline(text, part, '.');) out.push_back(std::stoi(part));
  return out;
}

}  // namespace

std::set<std::string> exports_of(const Registry& registry, const DriverBranch& branch) {
  const auto& known = registry.facts.exports;
  if (const auto own = known.find(std::to_string(branch.number)); own != known.end()) return own->second;
  std::set<std::string> out = known.at("555");
  for (const auto& function : registry.facts.functions)
    if (!function.first_seen.empty() && numbers_of(function.first_seen) > numbers_of("12.5.82") &&
        numbers_of(function.first_seen) <= numbers_of(branch.header))
      out.insert(function.name);
  return out;
}

std::string emit_version_script_of(const std::set<std::string>& symbols) {
  std::string out = "# Generated by nvmlgen from registry/. Do not edit.\n{\n  global:\n";
  for (const auto& symbol : symbols) out += fmt::format("    {};\n", symbol);
  return out + "  local:\n    *;\n};\n";
}

}  // namespace nvmlgen
