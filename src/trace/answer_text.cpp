#include <algorithm>
#include <nvmlkit/error.hpp>
#include <nvmlkit/generated/table.hpp>
#include <nvmlkit/interpose/signature.hpp>
#include <nvmlkit/table.hpp>

#include "trace/shape.hpp"
#include "trace/text.hpp"
#include "trace/text_parts.hpp"

namespace nvmlkit::trace {
namespace {

std::string json_text(const std::string& bytes) {
  std::string out = "\"";
  for (const char c : bytes) {
    const auto b = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out.append({'\\', c});
    else if (b < 0x20)
      out.append("\\u00").append(hex_bytes(std::string(1, c)));
    else
      out += c;
  }
  return out + '"';
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
  std::string missing;
  for (std::size_t i = 0; i < nvml::kSymbolCount; ++i) {
    const std::string name = nvml::symbols()[i].name;
    const auto found = std::ranges::find(recording.functions, name, &Function::name);
    if (found == recording.functions.end() || !found->present)
      missing.append(missing.empty() ? "" : ",").append(json_text(name));
  }
  return "{\"nvmlkit_trace\":1,\"missing\":[" + missing + "]}";
}

std::string replay_line(const Recording& recording, const Call& call) {
  const Function& function = recording.functions[call.function];
  if (function.known >= nvml::kSymbolCount || !nvml::interpose::signatures()[function.known].replayable) return {};
  std::string in, out;
  for (std::size_t i = 0; i < function.letters.size(); ++i) {
    const char letter = function.letters[i];
    const Value& value = call.arguments[i];
    std::string token;
    if (!is_pointer(letter))
      token = json_text(hex_number(value.word));
    else if (value.word == 0)
      token = "null";
    else if (letter == 't')
      token = json_text(std::string("s:").append(value.in.value_or("")));
    else if (value.in)
      token = json_text(std::string("b:").append(hex_bytes(*value.in)));
    else
      token = "\"p\"";
    in.append(i ? "," : "").append(token);
    out.append(i ? "," : "").append(value.out ? json_text(hex_bytes(*value.out)) : "null");
  }
  const std::string result = function.returns_text ? json_text(call.text) : std::to_string(call.result);
  return "{\"f\":\"" + function.name + "\",\"in\":[" + in + "],\"r\":" + result + ",\"out\":[" + out + "]}";
}

}  // namespace nvmlkit::trace
