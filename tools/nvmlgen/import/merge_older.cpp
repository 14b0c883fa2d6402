// A header that only adds history.
#include "drift.hpp"

namespace nvmlgen::headers {

void merge_older(Facts& facts, const Api& header);

namespace {

void move_back(std::string& first_seen, const std::string& version) {
  if (compare_versions(version, first_seen) < 0) first_seen = version;
}

// A header without the function says nothing about its signature.
void close_gaps(Timeline<std::vector<std::string>>& timeline) {
  std::erase_if(timeline, [](const auto& step) { return !step.value; });
  const auto same = [](const auto& a, const auto& b) { return *a.value == *b.value; };
  timeline.erase(std::unique(timeline.begin(), timeline.end(), same), timeline.end());
}

void older_functions(Facts& facts, const Api& header) {
  auto& removed = facts.history.removed_functions;
  for (const Function& f : header.functions) {
    bool present = false;
    for (Function& now : facts.api.functions)
      if (now.name == f.name) {
        present = true;
        // Before this header every known one had the signature of the present, or the timeline says otherwise.
        auto& timeline = facts.history.signatures[f.name];
        if (timeline.empty()) timeline.push_back({now.first_seen, signature(facts.api, now)});
        record(timeline, facts.history.headers, header.version, std::optional(signature(header, f)));
        close_gaps(timeline);
        if (timeline.size() < 2) facts.history.signatures.erase(f.name);
        move_back(now.first_seen, header.version);
      }
    if (present) continue;
    auto it = std::find_if(removed.begin(), removed.end(), [&](const auto& item) { return item.first == f.name; });
    if (it == removed.end()) {
      removed.emplace_back(f.name, Removed{header.version, header.version, signature(header, f), {}, {}});
      continue;
    }
    move_back(it->second.first_seen, header.version);
    if (compare_versions(header.version, it->second.last_seen) > 0) it->second.last_seen = header.version;
  }
}

// Runs `record` for each name of either side against a timeline that is completed from the present first.
template <class T, class FirstSeen>
void older_steps(std::map<std::string, Timeline<T>>& timelines, const History& history, const std::string& version,
                 const std::map<std::string, T>& present, const std::map<std::string, T>& header,
                 const FirstSeen& first_seen) {
  std::set<std::string> names;
  for (const auto& [name, value] : present) names.insert(name);
  for (const auto& [name, value] : header) names.insert(name);
  for (const auto& [name, timeline] : timelines) names.insert(name);
  for (const std::string& name : names) {
    auto& timeline = timelines[name];
    if (timeline.empty() && present.contains(name)) timeline.push_back({first_seen(name), present.at(name)});
    const auto value = header.find(name);
    record(timeline, history.headers, version, value == header.end() ? std::nullopt : std::optional(value->second));
  }
}

template <class T>
void drop_unchanged(std::map<std::string, Timeline<T>>& timelines) {
  std::erase_if(timelines, [](const auto& item) { return item.second.size() < 2; });
}

std::map<std::string, LayoutChange> sizes(const Api& api) {
  std::map<std::string, LayoutChange> result;
  for (const auto& [name, record] : layouts(api)) result[name] = {record->size, {}, {}, {}};
  return result;
}

// When the next header's step to the same size turns out to have happened here, what is known about it moves along.
void take_details(const History& history, const std::string& version, std::map<std::string, LayoutChange>& header) {
  const auto here = std::find(history.headers.begin(), history.headers.end(), version);
  if (here == history.headers.begin() || std::next(here) == history.headers.end()) return;
  for (auto& [name, change] : header) {
    const auto timeline = history.layouts.find(name);
    if (timeline == history.layouts.end()) continue;
    const LayoutChange* before = at(timeline->second, *std::prev(here));
    const LayoutChange* after = at(timeline->second, *std::next(here));
    if (after && after->size == change.size && before && before->size != change.size) change = *after;
  }
}

void older_structs(Facts& facts, const Api& header) {
  History& history = facts.history;
  const auto present = layouts(facts.api);
  auto declared = sizes(header);
  take_details(history, header.version, declared);
  older_steps(history.layouts, history, header.version, sizes(facts.api), declared,
              [&](const std::string& name) { return layout_first_seen(history, name, *present.at(name)); });
  history.alias_first_seen.clear();
  for (Struct& s : facts.api.structs) {
    s.first_seen = history.layouts.at(s.name).front().from;
    for (const std::string& alias : s.aliases)
      if (const auto& timeline = history.layouts.at(alias);
          timeline.size() < 2 && timeline.front().from != s.first_seen)
        history.alias_first_seen[alias] = timeline.front().from;
  }
  drop_unchanged(history.layouts);
}

void older_values(Facts& facts, const Api& header) {
  History& history = facts.history;
  auto first_seen = [&](const std::string& name) {
    if (const Constant* c = find(facts.api.constants, name)) return c->since;
    for (const Enum& e : facts.api.enums)
      if (find(e.values, name)) return find(e.late, name) ? *find(e.late, name) : e.first_seen;
    return header.version;
  };
  older_steps(history.values, history, header.version, values(facts.api), values(header), first_seen);
  for (auto& [name, constant] : facts.api.constants) constant.since = history.values.at(name).front().from;
  for (Enum& e : facts.api.enums) {
    if (find(header.enums, e.name)) move_back(e.first_seen, header.version);
    e.late.clear();
    for (const auto& [name, value] : e.values)
      if (const auto& seen = history.values.at(name).front().from; compare_versions(seen, e.first_seen) > 0)
        e.late.emplace_back(name, seen);
  }
  drop_unchanged(history.values);
}

void older_types(Facts& facts, const Api& header) {
  std::map<std::string, std::string> kinds;
  for (const Enum& e : header.enums) kinds[e.name] = "enum";
  for (const Handle& h : header.handles) kinds[h.name] = "handle";
  for (const Typedef& t : header.typedefs) kinds[t.name] = "typedef";
  for (Handle& h : facts.api.handles)
    if (kinds.contains(h.name)) move_back(h.first_seen, header.version);
  for (const auto& [name, kind] : kinds) {
    if (find(facts.api.enums, name) || find(facts.api.handles, name) || find(facts.api.typedefs, name)) continue;
    auto& removed = facts.history.removed_types;
    auto it =
        std::find_if(removed.begin(), removed.end(), [&name = name](const auto& item) { return item.first == name; });
    if (it == removed.end()) it = removed.insert(removed.end(), {name, {header.version, header.version, {}, {}, kind}});
    move_back(it->second.first_seen, header.version);
    if (compare_versions(header.version, it->second.last_seen) > 0) it->second.last_seen = header.version;
  }
}

}  // namespace

void merge_older(Facts& facts, const Api& header) {
  older_functions(facts, header);
  older_structs(facts, header);
  older_values(facts, header);
  older_types(facts, header);
  History& history = facts.history;
  older_steps(history.aliases, history, header.version, aliases(facts.api), aliases(header),
              [&](const std::string&) { return history.headers.back(); });
}

}  // namespace nvmlgen::headers
