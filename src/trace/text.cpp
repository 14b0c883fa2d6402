#include "trace/text.hpp"

#include <cstring>

#include "trace/shape.hpp"
#include "trace/text_parts.hpp"

namespace nvmlkit::trace {

std::string hex_number(std::uint64_t word) {
  std::string digits;
  do digits.insert(digits.begin(), "0123456789abcdef"[word & 15]);
  while ((word >>= 4) != 0);
  return digits.insert(0, "0x");
}

std::string hex_bytes(const std::string& bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    const auto b = static_cast<unsigned char>(byte);
    out += "0123456789abcdef"[b >> 4];
    out += "0123456789abcdef"[b & 15];
  }
  return out;
}

std::string quoted_text(const std::string& bytes) {
  std::string out = "\"";
  for (const char c : bytes.substr(0, bytes.find('\0'))) {
    if (c == '"' || c == '\\') out += '\\';
    const auto b = static_cast<unsigned char>(c);
    out += b < 0x20 || b == 0x7f ? '?' : c;
  }
  return out + '"';
}

std::string memory_text(const std::string& bytes, bool whole, const Handles* handles) {
  if (bytes.size() == 4 || bytes.size() == 8) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data(), bytes.size());
    if (bytes.size() == 8 && handles && handles->knows(number)) return handles->text(number);
    return std::to_string(number);
  }
  std::string out = "{";
  out.append(whole ? hex_bytes(bytes) : std::to_string(bytes.size()).append(" bytes"));
  return out.append("}");
}

void join(std::string& out, const std::string& part) { out.append(out.empty() ? "" : ", ").append(part); }

Handles Handles::of(const Recording& recording) {
  Handles out;
  for (const Record& record : recording.records) {
    const auto call = recording.call(record);
    if (!call) continue;
    const std::string& letters = recording.functions[call->function].letters;
    for (std::size_t i = 0; i < letters.size(); ++i)
      if (letters[i] == 'h' && call->arguments[i].word > UINT32_MAX)
        out.numbers_.try_emplace(call->arguments[i].word, out.numbers_.size() + 1);
  }
  return out;
}

std::string Handles::text(std::uint64_t handle) const {
  const auto found = numbers_.find(handle);
  return found == numbers_.end() ? hex_number(handle) : std::string("#").append(std::to_string(found->second));
}

std::string argument_name(const Function& function, std::size_t argument) {
  if (function.known == SIZE_MAX) return std::string("#").append(std::to_string(argument + 1));
  return shape(function.known).arguments[argument].name;
}

std::string question_text(const Recording& recording, const Call& call, const Handles* handles) {
  const Function& function = recording.functions[call.function];
  std::string out;
  for (std::size_t i = 0; i < function.letters.size(); ++i) {
    const Value& value = call.arguments[i];
    std::string text = argument_name(function, i);
    const char letter = function.letters[i];
    if (letter == 'h')
      text.append("=").append(handles ? handles->text(value.word) : hex_number(value.word));
    else if (letter == 'v')
      text.append("=").append(std::to_string(static_cast<std::int64_t>(value.word)));
    else if (value.word == 0)
      text += "=null";
    else if (letter == 't')
      text.append("=").append(quoted_text(value.in.value_or("")));
    else if (value.in)
      text.append("=").append(memory_text(*value.in, handles != nullptr, handles));
    join(out, text);
  }
  return function.name + "(" + out + ")";
}

}  // namespace nvmlkit::trace
