// A value over header versions, as a step function: an entry holds from its version to the next entry.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "api.hpp"

namespace nvmlgen::headers {

template <class T>
struct Step {
  std::string from;
  std::optional<T> value;  ///< empty: not declared
};

template <class T>
using Timeline = std::vector<Step<T>>;

/// The value at a version; null where it was not declared.
template <class T>
const T* at(const Timeline<T>& timeline, std::string_view version) {
  const T* value = nullptr;
  for (const Step<T>& step : timeline)
    if (compare_versions(step.from, version) <= 0) value = step.value ? &*step.value : nullptr;
  return value;
}

/// A value as a step that returns to it; what it says about its own predecessor does not hold there.
template <class T>
T restated(const T& value) {
  return value;
}

/// Records that the header `version` has `value`. `headers` are the versions known, ordered, with `version` among
/// them. What the other headers have stays as it was.
template <class T>
void record(Timeline<T>& timeline, const std::vector<std::string>& headers, const std::string& version,
            const std::optional<T>& value) {
  const auto here = std::find(headers.begin(), headers.end(), version);
  auto value_at = [&](std::string_view v) -> std::optional<T> {
    const T* found = at(timeline, v);
    return found ? std::optional<T>(*found) : std::nullopt;
  };
  const std::optional<T> before = here == headers.begin() ? std::nullopt : value_at(*std::prev(here));
  const auto next = std::next(here);
  const std::optional<T> after = next == headers.end() ? std::nullopt : value_at(*next);

  auto same = [](const std::optional<T>& a, const std::optional<T>& b) {
    return a.has_value() == b.has_value() && (!a || *b == *a);
  };
  auto erase_step = [&](const std::string& from) {
    std::erase_if(timeline, [&](const Step<T>& step) { return step.from == from; });
  };
  auto insert_step = [&](const std::string& from, const std::optional<T>& v) {
    const auto place = std::find_if(timeline.begin(), timeline.end(),
                                    [&](const Step<T>& step) { return compare_versions(step.from, from) > 0; });
    timeline.insert(place, {from, v});
  };
  const bool next_has_step = next != headers.end() && std::any_of(timeline.begin(), timeline.end(),
                                                                  [&](const Step<T>& s) { return s.from == *next; });
  erase_step(version);
  if (!same(before, value)) insert_step(version, value);
  if (next != headers.end()) {
    if (next_has_step) {
      if (same(value, after)) erase_step(*next);
    } else if (!same(before, value)) {
      insert_step(*next, after ? std::optional<T>(restated(*after)) : after);
    }
  }
  while (!timeline.empty() && !timeline.front().value) timeline.erase(timeline.begin());
}

}  // namespace nvmlgen::headers
