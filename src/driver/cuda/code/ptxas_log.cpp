#include "driver/cuda/code/ptxas_log.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "driver/cuda/generated/functions.hpp"
#include "ptx/parse/error_text.hpp"

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

// The modifiers that ptxas counts to the name of an instruction: mul.wide of mul.wide.u32, ld of ld.global.u32.
std::string_view name_of(std::string_view instruction) {
  static constexpr std::string_view kLongNames[] = {"cp.async.bulk.tensor",
                                                    "cp.async.bulk",
                                                    "cp.async.wait_group",
                                                    "cp.async.wait_all",
                                                    "cp.async.commit_group",
                                                    "cp.async",  // behind the longer ones
                                                    "cvta.to",
                                                    "mad.hi",
                                                    "mad.lo",
                                                    "mad.wide",
                                                    "mad24.hi",
                                                    "mad24.lo",
                                                    "mul.hi",
                                                    "mul.lo",
                                                    "mul.wide",
                                                    "mul24.hi",
                                                    "mul24.lo",
                                                    "shf.l",
                                                    "shf.r",
                                                    "suld.b",
                                                    "sust.b",
                                                    "sust.p"};
  for (const auto name : kLongNames)
    if (instruction.starts_with(name) && (instruction.size() == name.size() || instruction[name.size()] == '.'))
      return name;
  const auto dot = instruction.find('.');
  const auto opcode = instruction.substr(0, dot);
  if (opcode == "mbarrier" || opcode == "wgmma") return instruction.substr(0, instruction.find('.', dot + 1));
  return opcode;
}

std::string mismatch(const ptx::Error& e) {
  return error(e.line, "Arguments mismatch for instruction " + quoted(name_of(e.instruction)));
}

std::string syntax_error(const ptx::Error& e) {
  return fatal(e.line, "Parsing error near " + quoted(e.subject) + ": syntax error") + "\n";
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

std::string ptxas_log(const ptx::Error& e) {
  using ptx::ErrorKind;
  const auto unknown = [&] { return error(e.line, "Unknown symbol " + quoted(e.subject)); };
  const auto lines = [&]() -> std::string {
    switch (e.kind) {
      case ErrorKind::syntax:
        return syntax_error(e);
      case ErrorKind::unknown_instruction:
        return error(e.line, "Not a name of any known instruction: " + quoted(e.subject));
      case ErrorKind::unknown_symbol:  // a label, or an operand
        return e.instruction.empty() ? unknown() : mismatch(e) + unknown();
      case ErrorKind::unknown_function:
        return error(e.line, "Call to " + quoted(e.subject) + " requires call prototype") + unknown();
      case ErrorKind::operands:
        return mismatch(e);
      case ErrorKind::vector_size:
        return error(e.line, "Argument vector size mismatch for instruction " + quoted(name_of(e.instruction)));
      case ErrorKind::missing_feature:
        return error(e.line, "Feature " + quoted(e.instruction) + " requires " + e.subject);
      default:
        return error(e.line, text_of(e));
    }
  };
  if (e.kind == ErrorKind::undefined_function) return "ptxas fatal   : Unresolved extern function " + quoted(e.subject);
  return lines() + std::string(kEnd);
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
