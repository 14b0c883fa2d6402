#include "trace/summary.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <unordered_map>

#include "trace/text.hpp"

namespace nvmlkit::trace {
namespace {

struct Question {
  std::string text;
  std::vector<std::string> answers;
};

// Questions in the order of their first calls, and where each is.
struct Questions {
  std::vector<Question> list;
  std::unordered_map<std::string, std::size_t> places;
};

Questions questions_in(const Recording& recording, const Filter& filter) {
  const Handles handles = Handles::of(recording);
  Questions out;
  for (const Record& record : recording.records) {
    const auto call = recording.call(record);
    if (!call || !filter.matches(recording, *call)) continue;
    const std::string text = question_text(recording, *call, &handles);
    const auto [place, added] = out.places.try_emplace(text, out.list.size());
    if (added) out.list.push_back({text, {}});
    out.list[place->second].answers.push_back(answer_text(recording, *call, true, &handles));
  }
  return out;
}

Difference difference_of(const std::string& text, const std::vector<std::string>& left,
                         const std::vector<std::string>& right) {
  Difference out{text, left.size(), right.size(), 0, {}, {}};
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i] == right[i]) continue;
    if (out.differing++ > 0) continue;
    out.first_left = left[i];
    out.first_right = right[i];
  }
  return out;
}

}  // namespace

bool Filter::matches(const Recording& recording, const Call& call) const {
  const Function& of = recording.functions[call.function];
  if (failed && (of.returns_text || call.result == 0)) return false;
  if (thread != 0 && call.thread != thread) return false;
  return function.empty() || fnmatch(function.c_str(), of.name.c_str(), 0) == 0;
}

std::vector<Count> count(const Recording& recording, const Filter& filter) {
  std::vector<Count> by_function(recording.functions.size());
  for (const Record& record : recording.records) {
    const auto call = recording.call(record);
    if (!call || !filter.matches(recording, *call)) continue;
    Count& row = by_function[call->function];
    row.function = recording.functions[call->function].name;
    ++row.calls;
    row.failed += call->result != 0;
    row.total_ns += call->duration;
    row.longest_ns = std::max(row.longest_ns, call->duration);
  }
  std::erase_if(by_function, [](const Count& row) { return row.calls == 0; });
  std::ranges::stable_sort(by_function, std::ranges::greater(), &Count::calls);
  return by_function;
}

std::vector<Difference> compare(const Recording& left, const Recording& right, const Filter& filter) {
  const Questions a = questions_in(left, filter), b = questions_in(right, filter);
  static const std::vector<std::string> none;
  std::vector<Difference> out;
  const auto add = [&](const std::string& text, const std::vector<std::string>& of_left,
                       const std::vector<std::string>& of_right) {
    Difference row = difference_of(text, of_left, of_right);
    if (row.differing > 0 || row.left != row.right) out.push_back(std::move(row));
  };
  for (const Question& question : a.list) {
    const auto place = b.places.find(question.text);
    add(question.text, question.answers, place == b.places.end() ? none : b.list[place->second].answers);
  }
  for (const Question& question : b.list)
    if (!a.places.contains(question.text)) add(question.text, none, question.answers);
  return out;
}

}  // namespace nvmlkit::trace
