#include "scenario/read_step.hpp"

#include <algorithm>
#include <iterator>

#include "scenario/choices.hpp"
#include "scenario/words.hpp"
#include "sim/problem/names.hpp"
#include "sim/steering/mig.hpp"
#include "sim/steering/process.hpp"

namespace nvmlkit::scenario {

using namespace sim;

std::string title_of(const Step& step, std::size_t index) {
  return step.name.empty() ? "step " + std::to_string(index + 1) : step.name;
}

namespace {

constexpr std::string_view kVerbs[] = {"set", "release", "load", "fault", "heal", "mig", "process"};

// 2 where the first word has verbs of its own.
Expected<std::size_t> count_verb_words(const std::vector<std::string>& words) {
  const auto below = words[0] == "mig"       ? steering::mig_verbs()
                     : words[0] == "process" ? steering::process_verbs()
                                             : std::span<const std::string_view>();
  if (below.empty()) return 1;
  const std::string second = words.size() > 1 ? words[1] : "";
  if (std::find(below.begin(), below.end(), second) == below.end())
    return fail(unknown_name("verb of " + words[0], second, below));
  return 2;
}

Expected<Line> parse_line(const YamlNode& node) {
  auto words = split_words(node.text());
  if (!words) return fail_at(node, std::move(words.error()));
  if (!words->empty() && words->front() == "nvmlkit") words->erase(words->begin());
  if (words->empty()) return fail_at(node, wrong_value("a command such as fault xid 79", quote(node.text())));
  const auto& verb = words->front();
  if (verb == "time")
    return fail_at(node,
                   contradiction("a step cannot change the time; `nvmlkit scenario run --speed` and --virtual do"));
  if (std::find(std::begin(kVerbs), std::end(kVerbs), verb) == std::end(kVerbs))
    return fail_at(node, unknown_name("command", verb, kVerbs));
  const auto verb_words = count_verb_words(*words);
  if (!verb_words) return fail_at(node, Problem(verb_words.error()));
  const std::string target = words->size() > *verb_words ? (*words)[*verb_words] : "";
  const bool named = target.starts_with("gpu=") || target.starts_with("nvswitch=") || target.starts_with("nic=") ||
                     target == "machine";
  return Line{std::move(*words), named, *verb_words, std::string(node.text()), node.place()};
}

class StepReader {
 public:
  StepReader(std::size_t index, const std::map<std::string, GpuChoice>& groups) : index_(index), groups_(groups) {}

  Expected<Step> read(const YamlNode& node) {
    step_.place = node.place();
    auto good = read_mapping(node, "step", step_keys(), [&](std::string_view key, const YamlNode& value) {
      return key == "at" || key == "after" || key == "every" || key == "repeat" || key == "for" || key == "within" ||
                     key == "chance"
                 ? read_number(key, value)
                 : read_words(key, value);
    });
    if (!good) return fail(std::move(good.error()));
    if (good = check(node); !good) return fail(std::move(good.error()));
    if (!at_) step_.after = true;
    return std::move(step_);
  }

 private:
  Expected<void> read_number(std::string_view key, const YamlNode& value) {
    if (key == "every") return put(step_.every_s, read_duration(value));
    if (key == "for") return put(step_.hold_s, read_duration(value));
    if (key == "within") return put(step_.within_s, read_duration(value));
    if (key == "repeat") return put(step_.rounds, read_whole(value));
    if (key == "chance") return put(step_.chance, read_chance(value));
    (key == "at" ? at_ : after_) = true;
    step_.after = key == "after";
    const auto moment = read_moment(value);
    if (!moment) return fail(moment.error());
    step_.earliest_s = moment->earliest_s;
    step_.latest_s = moment->latest_s;
    return {};
  }

  Expected<void> read_words(std::string_view key, const YamlNode& value) {
    if (key == "name") return put(step_.name, read_text(value));
    if (key == "from") return put(step_.from, read_text(value));
    if (key == "nodes") return put(step_.nodes, read_nodes(value));
    if (key == "if" || key == "when") {
      auto condition = read_condition(value);
      if (!condition) return fail(std::move(condition.error()));
      (key == "if" ? step_.only_if : step_.when) = std::move(*condition);
      return {};
    }
    if (key == "expect") return read_expectations(value);
    if (key == "do" || key == "any") return read_lines(key, value);
    auto choice = read_gpus(value, "step " + std::to_string(index_ + 1));
    if (!choice) return fail(std::move(choice.error()));
    step_.gpus = std::move(*choice);
    return resolve_group(*step_.gpus, groups_);
  }

  static Expected<Condition> read_condition(const YamlNode& node) {
    const auto text = read_text(node);
    if (!text) return fail(text.error());
    auto condition = parse_condition(*text);
    if (!condition) return fail_at(node, std::move(condition.error()));
    condition->place = node.place();
    return condition;
  }

  Expected<void> read_expectations(const YamlNode& node) {
    const auto items = read_items(node);
    if (!items) return fail(items.error());
    for (const auto& item : *items) {
      auto condition = read_condition(item);
      if (!condition) return fail(std::move(condition.error()));
      step_.expect.push_back(std::move(*condition));
    }
    return {};
  }

  Expected<void> read_lines(std::string_view key, const YamlNode& node) {
    if (!step_.lines.empty()) return fail_at(node, contradiction("a step has either `do` or `any`"));
    step_.one_of = key == "any";
    const auto items = read_items(node);
    if (!items) return fail(items.error());
    for (const auto& item : *items) {
      auto line = parse_line(item);
      if (!line) return fail(std::move(line.error()));
      step_.lines.push_back(std::move(*line));
    }
    return {};
  }

  // Right on its own, wrong beside the rest of the step.
  Expected<void> check(const YamlNode& node) const {
    const auto wrong = [&](const char* key, const char* what) {
      const auto at = node.find(key);
      return fail_at(at ? at : node, contradiction(what));
    };
    if (at_ && after_) return wrong("after", "a step has either `at` or `after`");
    if (step_.rounds && !step_.every_s) return wrong("repeat", "`repeat` needs `every`");
    const bool plain = step_.lines.empty() && step_.expect.empty() && !step_.when;
    if (!step_.from.empty() && (!plain || step_.every_s || step_.hold_s || step_.chance || step_.only_if))
      return wrong("from", "a step with `from` has only `name`, `at` or `after`, `gpus` and `nodes` beside it");
    if (plain && step_.from.empty()) return fail_at(node, missing("`do`, `any`, `expect`, `when` or `from` in a step"));
    if (step_.within_s && step_.expect.empty() && !step_.when)
      return wrong("within", "`within` needs `expect` or `when`");
    if (step_.hold_s && step_.every_s && *step_.hold_s > *step_.every_s)
      return wrong("for", "`for` is longer than `every`");
    if (step_.hold_s && step_.lines.empty()) return wrong("for", "`for` needs `do` or `any`");
    return {};
  }

  std::size_t index_;
  const std::map<std::string, GpuChoice>& groups_;
  Step step_;
  bool at_ = false, after_ = false;
};

}  // namespace

Expected<Step> read_step(const YamlNode& node, std::size_t index, const std::map<std::string, GpuChoice>& groups) {
  return StepReader(index, groups).read(node);
}

}  // namespace nvmlkit::scenario
