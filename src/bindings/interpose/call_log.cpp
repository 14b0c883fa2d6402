#include <algorithm>
#include <cstring>
#include <nvmlkit/interpose/call_log.hpp>
#include <ostream>

#include "interpose/word.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

std::string hexadecimal(Word word) {
  std::string digits;
  do digits.insert(digits.begin(), "0123456789abcdef"[word & 15]);
  while ((word >>= 4) != 0);
  return "0x" + digits;
}

// At most `room` bytes are looked at: an answer may lack its end.
std::string quoted(const char* text, std::size_t room) {
  std::string out = "\"";
  for (std::size_t i = 0; i < room && text[i] != '\0'; ++i) {
    if (text[i] == '"' || text[i] == '\\') out += '\\';
    out += static_cast<unsigned char>(text[i]) < 0x20 ? '?' : text[i];
  }
  return out + '"';
}

std::string number_at(Word word, std::size_t size) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes_at(word), size);
  return std::to_string(number);
}

std::string describe(const Call& call, std::size_t index, bool succeeded) {
  const Argument& argument = call.signature().arguments[index];
  const Word word = call.arguments()[index];
  if (argument.kind == ArgumentKind::value) return std::to_string(word);
  if (argument.kind == ArgumentKind::handle) return hexadecimal(word);
  if (word == 0) return "null";
  const bool scalar = argument.size == 4 || argument.size == 8;
  switch (argument.kind) {
    case ArgumentKind::text:
      return quoted(from_word<const char*>(word), 256);
    case ArgumentKind::inout:
      if (scalar) return number_at(word, argument.size);
      break;
    case ArgumentKind::output:
      if (!succeeded) return "?";
      if (scalar) return number_at(word, argument.size);
      break;
    case ArgumentKind::text_out:
      return succeeded ? quoted(from_word<const char*>(word), elements_of(call, index) * argument.size) : "?";
    case ArgumentKind::array:
    case ArgumentKind::keyed_array:
      return "[" + std::to_string(elements_of(call, index)) + " x " + std::to_string(argument.size) + " bytes]";
    default:
      break;
  }
  return "{" + std::to_string(argument.size) + " bytes}";
}

}  // namespace

std::string describe_arguments(const Call& call, Errc result) {
  std::string out;
  for (std::size_t i = 0; i < call.arguments().size(); ++i)
    out.append(i ? ", " : "")
        .append(call.signature().arguments[i].name)
        .append("=")
        .append(describe(call, i, result == Errc::success));
  return out;
}

std::string LoggedCall::text() const {
  return std::string(function) + "(" + arguments + ") = " + name_of(result) + ", " + std::to_string(duration.count()) +
         " ns";
}

CallLog::CallLog(std::ostream& stream)
    : sink_([&stream](const LoggedCall& call) { stream << call.text() + '\n'
                                                       << std::flush; }) {}

Word CallLog::on_call(const Call& call) noexcept {
  const auto start = std::chrono::steady_clock::now();
  const Word word = call.forward();
  const auto duration = std::chrono::steady_clock::now() - start;
  const Errc result = call.returns_code() ? static_cast<Errc>(static_cast<int>(word)) : Errc::success;
  const LoggedCall logged{call.name(), describe_arguments(call, result), result, duration};
  const std::lock_guard lock(mutex_);
  sink_(logged);
  return word;
}

}  // namespace nvmlkit::nvml::interpose
