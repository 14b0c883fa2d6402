#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "emit/cuda/emitters.hpp"
#include "emit/cuda/text.hpp"

namespace nvmlgen::cuda {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string emit_entry_points(const Registry& r) {
  std::string out = kBanner;
  out += R"(// What cuGetProcAddress finds, by name, then by version; the symbols are declared by name alone.
#include "driver/cuda/entry_points.hpp"

extern "C" {
)";
  std::set<std::string> exported, used;
  for (const auto& f : r.functions) exported.insert(f.name);
  std::string rows;
  for (const auto& [name, choices] : r.entry_points)
    for (const bool per_thread : {false, true})
      for (const auto& c : choices) {
        if (c.per_thread != per_thread || !exported.count(c.symbol)) continue;
        used.insert(c.symbol);
        rows += fmt::format("    {{\"{}\", {}, {}, {}}},\n", name, c.version, per_thread, c.symbol);
      }
  for (const auto& symbol : used) out += fmt::format("void {}();\n", symbol);
  return out + fmt::format(R"(}}

namespace nvmlkit::cuda {{
namespace {{

constexpr EntryPoint kEntryPoints[] = {{
{}}};

}}  // namespace

std::span<const EntryPoint> entry_points() {{ return kEntryPoints; }}

}}  // namespace nvmlkit::cuda
)",
                           rows);
}

std::string emit_errors(const Registry& r) {
  std::string out = kBanner;
  out += R"(// Errors that the driver knows, by number.
#include "driver/cuda/errors.hpp"

namespace nvmlkit::cuda {
namespace {

constexpr ErrorText kErrors[] = {
)";
  for (const auto& [name, value] : r.enumeration("CUresult").values)
    if (const auto at = r.errors.find(name); at != r.errors.end())
      out += fmt::format("    {{{}, \"{}\", {}}},\n", name, name, quoted(at->second));
  return out + R"(};

}  // namespace

std::span<const ErrorText> errors() { return kErrors; }

}  // namespace nvmlkit::cuda
)";
}

std::string emit_attributes(const Registry& r) {
  std::string out = kBanner;
  out += R"(// Attributes of a GPU.
#include "driver/cuda/device/attributes.hpp"

namespace nvmlkit::cuda {

std::optional<long long> attribute(const sim::Machine& machine, const sim::model::Gpu& gpu_of, CUdevice_attribute which) {
  const auto* gpu = &gpu_of;
  switch (which) {
)";
  for (const auto& a : r.attributes) {
    std::string answer;
    if (a.value) {
      answer = fmt::format("{}", *a.value);
    } else if (!a.field.empty()) {
      answer = fmt::format("number({})", model_expression(a.field));
      if (a.times != 1) answer += fmt::format(" * {}", a.times);
    } else if (!a.by_capability.empty()) {
      std::vector<std::string> rows;
      for (const auto& [capability, value] : a.by_capability)
        rows.push_back(fmt::format("{{{}, {}}}", capability, value));
      answer = fmt::format("by_capability(*gpu, {{{}}})", fmt::join(rows, ", "));
    } else if (!a.code.empty()) {
      answer = fmt::format("attributes::{}(machine, *gpu)", a.name.substr(std::string("CU_DEVICE_ATTRIBUTE_").size()));
    } else {
      answer = "0";
    }
    if (a.since != 0) answer = fmt::format("since({}, machine, {})", a.since, answer);
    out += fmt::format("    case {}:\n      return {};{}\n", a.name, answer,
                       a.later.empty() ? "" : "  // not simulated yet: " + a.later);
  }
  return out + R"(    default:
      return std::nullopt;
  }
}

}  // namespace nvmlkit::cuda
)";
}

}  // namespace nvmlgen::cuda
