// What the registry says of an instruction against what stands in the PTX, and what becomes of an instruction without a
// simulation.
#include <algorithm>
#include <utility>

#include "ptx/decode/form.hpp"
#include "ptx/parse/head.hpp"
#include "ptx/run/lanes.hpp"

namespace nvmlkit::ptx {
namespace {

bool contains(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1))
    if (list[at - 1] == ' ' && list[at + word.size()] == ' ') return true;
  return false;
}

// A shape of wgmma: "N" in the registry stands for any number of columns.
std::string with_any_columns(std::string_view word) {
  if (!word.starts_with("m64n")) return std::string(word);
  return "m64nN" + std::string(word.substr(std::min(word.find('k'), word.size())));
}

}  // namespace

void Form::check() {
  if (entry_.name.empty()) return;  // nothing is known of its words
  for (const auto word : statement_.words) {
    if (contains(entry_.types, word)) {
      types_.push_back(*type_named(word));
      continue;
    }
    if (contains(entry_.words, word) || contains(entry_.words, with_any_columns(word))) continue;
    const auto text = "'." + std::string(word) + "' is not simulated here";
    if (std::ranges::binary_search(words_not_simulated(), word)) fail_simulation(text);
    fail(text);
  }
  if (count() < entry_.least_operands || count() > entry_.most_operands)
    fail(ErrorKind::operands, "so many operands it does not take");
  check_needs();
}

// Of a module that does not say its target, only the version counts.
void Form::check_needs() const {
  const auto& module = names();
  // The most particular one is told.
  for (auto at = entry_.needs.rbegin(); at != entry_.needs.rend(); ++at) {
    const auto& need = *at;
    const bool is_small =
        module.architecture != 0 && (need.exact ? module.target != "sm_" + std::to_string(need.architecture) + "a"
                                                : module.architecture < need.architecture);
    if ((module.version < need.version || is_small) && has_all(need.words))
      fail_need(need.version, need.architecture, need.exact);
  }
}

void Form::need(int version, int architecture) const {
  const auto& module = names();
  if (module.version < version || (module.architecture != 0 && module.architecture < architecture))
    fail_need(version, architecture, false);
}

void Form::need_family(int architecture) const {
  const std::string_view target = names().target;
  const bool is_of_family =
      names().architecture / 10 == architecture / 10 && (target.ends_with('a') || target.ends_with('f'));
  const auto needed = ".target sm_" + std::to_string(architecture) + "f";
  if (!target.empty() && !is_of_family) fail(ErrorKind::missing_feature, "requires " + needed, needed);
}

void Form::fail_need(int version, int architecture, bool exact) const {
  const auto needed = names().version < version
                          ? "PTX ISA .version " + version_text(version) + " or later"
                          : ".target sm_" + std::to_string(architecture) + (exact ? "a" : " or higher");
  fail(ErrorKind::missing_feature, "requires " + needed, needed);
}

bool Form::has_all(std::string_view words) const {
  while (!words.empty()) {
    const auto end = std::min(words.find('.'), words.size());
    if (!has(words.substr(0, end))) return false;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return true;
}

// The instruction with its modifiers.
std::string Form::full_name() const {
  std::string name(statement_.opcode);
  for (const auto word : statement_.words) (name += '.') += word;
  return name;
}

void Form::become_not_simulated(std::string text) {
  Instruction instead;
  instead.line = out.line;
  instead.guard = out.guard;
  instead.guard_negated = out.guard_negated;
  auto& texts = function().not_simulated;
  instead.side = static_cast<std::uint32_t>(texts.size());
  texts.push_back(std::move(text));
  instead.handler = [](Warp& w, const Instruction& i, Mask lanes) {
    w.fault(FaultKind::not_simulated, 0, i, first_of(lanes));
  };
  out = instead;
}

void Form::fail(ErrorKind kind, const std::string& text, std::string subject) const {
  throw Error{statement_.line, text, kind, std::move(subject), full_name()};
}

void Form::fail_simulation(const std::string& text) const {
  throw NotSimulated{{.line = statement_.line, .words = text, .instruction = full_name()}};
}

}  // namespace nvmlkit::ptx
