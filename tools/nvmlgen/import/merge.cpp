#include "merge.hpp"

#include <fmt/format.h>

namespace nvmlgen::headers {

void merge_newest(Facts& facts, Api header, const Drift& drift);  // merge_newest.cpp
void merge_older(Facts& facts, const Api& header);                // merge_older.cpp

std::string layout_first_seen(const History& history, const std::string& name, const Struct& target) {
  if (const auto timeline = history.layouts.find(name); timeline != history.layouts.end() && !timeline->second.empty())
    return timeline->second.front().from;
  const auto alias = history.alias_first_seen.find(name);
  return alias == history.alias_first_seen.end() ? target.first_seen : alias->second;
}

Drift merge(Facts& facts, Api header) {
  auto& headers = facts.history.headers;
  const std::string version = header.version;
  const bool newest = facts.api.version.empty() || compare_versions(version, facts.api.version) >= 0;
  Drift drift = newest ? compare(facts.api, header) : compare(header, facts.api);
  const bool known = std::find(headers.begin(), headers.end(), version) != headers.end();
  if (!known) {
    const auto place = std::find_if(headers.begin(), headers.end(),
                                    [&](const std::string& h) { return compare_versions(h, version) > 0; });
    headers.insert(place, version);
  }
  if (newest) {
    facts.history.functions_per_header[version] = header.functions.size();
    merge_newest(facts, std::move(header), drift);
  } else if (known) {
    drift.note =
        fmt::format("{} is older than {} and already in the history: nothing to add", version, facts.api.version);
  } else {
    drift.note = fmt::format("{} is older than {}: only history is added", version, facts.api.version);
    facts.history.functions_per_header[version] = header.functions.size();
    merge_older(facts, header);
  }
  join_drivers(facts);
  return drift;
}

}  // namespace nvmlgen::headers
