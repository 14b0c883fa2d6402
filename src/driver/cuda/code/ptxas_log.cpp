#include "driver/cuda/code/ptxas_log.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "driver/cuda/generated/functions.hpp"

namespace nvmlkit::cuda::modules {
namespace {

constexpr std::string_view kEnd = "ptxas fatal   : Ptx assembly aborted due to errors";

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string line_of(int line, std::string_view kind, std::string_view text) {
  return "ptxas application ptx input, line " + std::to_string(line) + "; " + std::string(kind) + " : " +
         std::string(text);
}

std::string error(int line, std::string_view text) { return line_of(line, "error  ", text) + "\n"; }
std::string fatal(int line, std::string_view text) { return line_of(line, "fatal  ", text); }

std::optional<std::string_view> behind(std::string_view text, std::string_view head) {
  const auto at = text.find(head);
  if (at == text.npos) return std::nullopt;
  return text.substr(at + head.size());
}

std::string_view word(std::string_view text) { return text.substr(0, text.find_first_of(" :'")); }

// mul.wide.u32 without its type.
std::string_view without_type(std::string_view name) { return name.substr(0, name.rfind('.')); }

// An instruction and its operands: "mov.u32: expected a register".
std::optional<std::string> of_operands(int line, std::string_view text) {
  const auto colon = text.find(": ");
  if (colon == text.npos) return std::nullopt;
  const auto what = text.substr(colon + 2);
  const auto mismatch =
      error(line, "Arguments mismatch for instruction " + quoted(without_type(text.substr(0, colon))));
  if (const auto name = behind(what, "register "); name && name->ends_with(" is not declared"))
    return mismatch + error(line, "Unknown symbol " + quoted(word(*name)));
  if (what.starts_with("expected a register") || what.ends_with(" has another size")) return mismatch;
  if (what.starts_with("requires "))
    return error(line, "Feature " + quoted(text.substr(0, colon)) + " " + std::string(what));
  return std::nullopt;
}

struct Token {
  std::string_view text;
  int line = 1;
};

// Takes a word from the beginning, behind spaces and comments.
Token take(std::string_view& text, int& line) {
  const auto drop = [&](std::size_t count) {
    line += static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(count), '\n'));
    text.remove_prefix(count);
  };
  for (;;) {
    drop(std::min(text.find_first_not_of(" \t\r\n\f\v"), text.size()));
    if (text.starts_with("//"))
      drop(std::min(text.find('\n'), text.size()));
    else if (text.starts_with("/*"))
      drop(text.find("*/") == text.npos ? text.size() : text.find("*/") + 2);
    else
      break;
  }
  Token out{text.substr(0, text.find_first_of(" \t\r\n\f\v,;/")), line};
  drop(out.text.size());
  return out;
}

int number_of(std::string_view text) { return std::atoi(std::string(text).c_str()); }

// 9.0 is 90.
int version_of(std::string_view text) {
  const auto dot = std::min(text.find('.'), text.size());
  return 10 * number_of(text.substr(0, dot)) + (dot < text.size() ? number_of(text.substr(dot + 1)) : 0);
}

std::string text_of(int version) { return std::to_string(version / 10) + "." + std::to_string(version % 10); }

// The version of PTX that a driver's CUDA has: 13.0 has 9.0, 12.8 has 8.7.
int known_version() {
  int cuda = 0;
  if (functions::DriverGetVersion(&cuda) != CUDA_SUCCESS) return 0;
  const int major = cuda / 1000, minor = cuda % 1000 / 10;
  const int skipped = major == 12 && minor >= 6 ? 1 : 0;  // 12.5 and 12.6 have 8.5
  return 10 * (major - 4) + minor - skipped;
}

// The first version of PTX that has a target. 0: no target.
int version_with(int architecture) {
  static constexpr std::pair<int, int> kTargets[] = {
      {20, 20}, {30, 30}, {32, 40},  {35, 31},  {37, 41},  {50, 40},  {52, 41},  {53, 42}, {60, 50},
      {61, 50}, {62, 50}, {70, 60},  {72, 61},  {75, 63},  {80, 70},  {86, 71},  {87, 74}, {88, 90},
      {89, 78}, {90, 78}, {100, 86}, {101, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88}};
  for (const auto& [target, version] : kTargets)
    if (target == architecture) return version;
  return 0;
}

}  // namespace

std::string ptxas_log(int line, std::string_view text) {
  if (const auto name = behind(text, "unknown instruction "))
    return error(line, "Not a name of any known instruction: " + quoted(*name)) + std::string(kEnd);
  if (const auto name = behind(text, "no label "))
    return error(line, "Unknown symbol " + quoted(*name)) + std::string(kEnd);
  if (const auto name = behind(text, "function "); name && name->find(" is declared, and no module") != name->npos)
    return "ptxas fatal   : Unresolved extern function " + quoted(word(*name));
  if (const auto got = behind(text, ", got '"); got && text.find("expected ") != text.npos)
    return fatal(line, "Parsing error near '" + std::string(*got) + ": syntax error") + "\n" + std::string(kEnd);
  if (text == "a function without end")
    return fatal(line, "Parsing error near '': syntax error") + "\n" + std::string(kEnd);
  return of_operands(line, text).value_or(error(line, text)) + std::string(kEnd);
}

// What NVIDIA's compilers of CUDA 13 write. Our libnvrtc asks them, whichever driver the machine has.
constexpr int kOfCompilers = 90;

Refusal check_head(std::string_view text) {
  int line = 1;
  if (take(text, line).text != ".version") {
    static constexpr auto kText = "error   : Binary format for key='0', ident='' is not recognized";
    return {CUDA_ERROR_INVALID_IMAGE, "", kText};
  }
  const auto version = take(text, line);
  const int number = version_of(version.text), known = std::max(known_version(), kOfCompilers);
  if (number > known) {
    const auto what =
        "Unsupported .version " + std::string(version.text) + "; current version is '" + text_of(known) + "'";
    return {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "PTX: " + what, fatal(version.line, what)};
  }
  if (take(text, line).text != ".target") return {};
  const auto target = take(text, line);
  if (!target.text.starts_with("sm_")) return {};
  const int first = version_with(number_of(target.text.substr(3)));
  if (first == 0) {
    const auto what = "Unsupported .target " + quoted(target.text);
    return {CUDA_ERROR_INVALID_PTX, "PTX: " + what, fatal(target.line, what) + "\n" + std::string(kEnd)};
  }
  if (first > number) {
    const auto what =
        "PTX .version " + std::string(version.text) + " does not support .target " + std::string(target.text);
    return {CUDA_ERROR_INVALID_PTX, "PTX: " + what, error(target.line, what) + std::string(kEnd)};
  }
  return {};
}

}  // namespace nvmlkit::cuda::modules
