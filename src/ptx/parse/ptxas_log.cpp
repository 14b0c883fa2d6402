#include "ptx/parse/ptxas_log.hpp"

#include "ptx/parse/error_text.hpp"

namespace nvmlkit::ptx {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string line_of(std::string_view input, int line, std::string_view kind, std::string_view text) {
  return "ptxas " + std::string(input) + ", line " + std::to_string(line) + "; " + std::string(kind) + " : " +
         std::string(text);
}

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

}  // namespace

std::string error_line(std::string_view input, int line, std::string_view text) {
  return line_of(input, line, "error  ", text) + "\n";
}

std::string fatal_line(std::string_view input, int line, std::string_view text) {
  return line_of(input, line, "fatal  ", text);
}

std::string ptxas_log(const Error& e, std::string_view input) {
  const auto error = [&](std::string_view text) { return error_line(input, e.line, text); };
  const auto unknown = [&] { return error("Unknown symbol " + quoted(e.subject)); };
  const auto mismatch = [&] { return error("Arguments mismatch for instruction " + quoted(name_of(e.instruction))); };
  const auto lines = [&]() -> std::string {
    switch (e.kind) {
      case ErrorKind::syntax:
        return fatal_line(input, e.line, "Parsing error near " + quoted(e.subject) + ": syntax error") + "\n";
      case ErrorKind::unknown_instruction:
        return error("Not a name of any known instruction: " + quoted(e.subject));
      case ErrorKind::unknown_symbol:  // a label, or an operand
        return e.instruction.empty() ? unknown() : mismatch() + unknown();
      case ErrorKind::unknown_function:
        return error("Call to " + quoted(e.subject) + " requires call prototype") + unknown();
      case ErrorKind::operands:
        return mismatch();
      case ErrorKind::vector_size:
        return error("Argument vector size mismatch for instruction " + quoted(name_of(e.instruction)));
      case ErrorKind::missing_feature:
        return error("Feature " + quoted(e.instruction) + " requires " + e.subject);
      default:
        return error(text_of(e));
    }
  };
  if (e.kind == ErrorKind::undefined_function) return "ptxas fatal   : Unresolved extern function " + quoted(e.subject);
  return lines() + std::string(kAborted);
}

}  // namespace nvmlkit::ptx
