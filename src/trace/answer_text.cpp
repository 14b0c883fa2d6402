#include <algorithm>
#include <nvmlkit/error.hpp>
#include <nvmlkit/generated/table.hpp>
#include <nvmlkit/table.hpp>

#include "bindings/call_memory/trace_line.hpp"
#include "trace/shape.hpp"
#include "trace/text.hpp"
#include "trace/text_parts.hpp"

namespace nvmlkit::trace {
namespace {

std::vector<nvml::interpose::NestedBytes> nested_bytes(const std::vector<Nested>& all) {
  std::vector<nvml::interpose::NestedBytes> out;
  for (const Nested& nested : all)
    if (nested.bytes) out.push_back({nested.argument, nested.offset, *nested.bytes});
  return out;
}

}  // namespace

std::string result_text(int result) {
  const auto code = static_cast<nvml::Errc>(result);
  return std::string(nvml::name_of(code));
}

std::string answer_text(const Recording& recording, const Call& call, bool whole, const Handles* handles) {
  const Function& function = recording.functions[call.function];
  std::string out = function.returns_text ? quoted_text(call.text) : result_text(call.result);
  for (std::size_t i = 0; i < function.letters.size(); ++i) {
    const auto& bytes = call.arguments[i].out;
    if (!bytes) continue;
    const bool text = function.letters[i] == 's';
    join(out, argument_name(function, i) + "=" + (text ? quoted_text(*bytes) : memory_text(*bytes, whole, handles)));
  }
  for (const Nested& nested : call.nested_out)
    if (nested.bytes)
      join(out, std::string("+")
                    .append(std::to_string(nested.offset))
                    .append("=")
                    .append(memory_text(*nested.bytes, whole, handles)));
  return out;
}

std::string replay_header(const Recording& recording) {
  nvml::interpose::TraceLine line;
  line.version = nvml::interpose::kTraceVersion;
  for (std::size_t i = 0; i < nvml::kSymbolCount; ++i) {
    const std::string name = nvml::symbols()[i].name;
    const auto found = std::ranges::find(recording.functions, name, &Function::name);
    if (found == recording.functions.end() || !found->present) line.missing.push_back(name);
  }
  return text_of(line);
}

std::string replay_line(const Recording& recording, const Call& call) {
  const Function& function = recording.functions[call.function];
  if (function.known >= nvml::kSymbolCount || function.known == export_table_function()) return {};
  if (!shape(function.known).followed) return {};
  nvml::interpose::TraceLine line;
  line.function = function.name;
  line.result = call.result;
  if (function.returns_text) line.text = call.text;
  for (std::size_t i = 0; i < function.letters.size(); ++i) {
    const char letter = function.letters[i];
    const Value& value = call.arguments[i];
    auto& token = line.in.emplace_back();
    if (!is_pointer(letter))
      token = hex_number(value.word);
    else if (letter == 't' && value.in)
      token = "s:" + *value.in;
    else if (value.in)
      token = "b:" + hex_bytes(*value.in);
    else if (value.word != 0)
      token = "p";
    auto& out = line.out.emplace_back();
    if (value.out) out = hex_bytes(*value.out);
  }
  line.behind = nested_bytes(call.nested_in);
  line.wrote = nested_bytes(call.nested_out);
  return text_of(line);
}

}  // namespace nvmlkit::trace
