#include "capture/compare.hpp"

#include <algorithm>

namespace nvmlkit::capture {
namespace {

std::uint64_t newest(const Json& list) {
  std::uint64_t out = 0;
  for (const auto& item : list)
    if (item.is_object() && item.contains("timeStamp")) out = std::max(out, item["timeStamp"].get<std::uint64_t>());
  return out;
}

bool same_lists(const Json& a, const Json& b) {
  if (a.size() != b.size()) return false;
  const auto since_a = newest(a), since_b = newest(b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (since_a == 0 || since_b == 0) {
      if (!same(a[i], b[i])) return false;
      continue;
    }
    Json left = a[i], right = b[i];
    left["timeStamp"] = since_a - left["timeStamp"].get<std::uint64_t>();
    right["timeStamp"] = since_b - right["timeStamp"].get<std::uint64_t>();
    if (!same(left, right)) return false;
  }
  return true;
}

// A driver that lacks the function says nothing about the machine.
bool unknown(const Json* answer) { return failed(answer, "FUNCTION_NOT_FOUND"); }

std::string shortened(const Json* answer) {
  constexpr std::size_t kLongest = 160;
  if (answer == nullptr) return "nothing";
  auto text = answer->dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
}

}  // namespace

bool same(const Json& a, const Json& b) {
  if (a.is_array() && b.is_array()) return same_lists(a, b);
  if (!a.is_object() || !b.is_object()) return a == b;
  if (a.size() != b.size()) return false;
  for (const auto& [name, value] : a.items()) {
    const auto other = b.find(name);
    if (other == b.end()) return false;
    if (name != "referenceTime" && !same(value, *other)) return false;  // the time of the call
  }
  return true;
}

bool same_answers(const Object& a, const Object& b, const std::string& question) {
  const bool all = question.find('(') == std::string::npos;
  for (auto at = a.answers.lower_bound(question); at != a.answers.end() && at->first.starts_with(question); ++at) {
    const char next = at->first.size() > question.size() ? at->first[question.size()] : '\0';
    if (next != '\0' && next != ' ' && !(all && next == '(')) continue;
    if (unknown(&at->second)) continue;
    const auto* other = b.answer(at->first);
    if (other == nullptr || !same(at->second, *other)) return false;
  }
  return true;
}

const Object* counterpart(const Object& object, const Answers& other) {
  for (const auto& candidate : other.objects)
    if (candidate.name == object.name) return &candidate;
  return nullptr;
}

Comparison compare(const Answers& real, const Answers& twin) {
  Comparison out;
  for (const auto& object : real.objects) {
    const auto* other = counterpart(object, twin);
    for (const auto& [question, answer] : object.answers) {
      if (unknown(&answer)) continue;
      const auto* there = other ? other->answer(question) : nullptr;
      if (there != nullptr && same(answer, *there))
        ++out.equal;
      else
        out.different.push_back(object.name + ": " + question + ": " + shortened(&answer) + "; the machine file " +
                                shortened(there));
    }
  }
  return out;
}

}  // namespace nvmlkit::capture
