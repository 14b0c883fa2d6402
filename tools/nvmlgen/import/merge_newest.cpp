// A header that becomes the present.
#include "drift.hpp"

namespace nvmlgen::headers {

void merge_newest(Facts& facts, Api header, const Drift& drift);

namespace {

class NewestMerge {
 public:
  NewestMerge(Facts& facts, Api& header, const Drift& drift)
      : old_(facts.api), now_(header), history_(facts.history), drift_(drift), version_(header.version) {
    for (const std::string& h : history_.headers)
      if (compare_versions(h, version_) < 0) previous_ = h;
  }

  void run() {
    functions();
    structs();
    values_and_enums();
    types();
    change_aliases();
  }

 private:
  // Takes the entry of something that is back out of the removed ones; null when it was never there.
  static std::optional<Removed> take(Ordered<Removed>& list, const std::string& name) {
    const auto it = std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.first == name; });
    if (it == list.end()) return std::nullopt;
    Removed removed = std::move(it->second);
    list.erase(it);
    return removed;
  }

  // What was first declared by the very version that is now imported again was never part of a header.
  bool counts(const std::string& first_seen) const { return first_seen != version_; }

  void functions() {
    for (Function& f : now_.functions) {
      const Function* was = find(old_.functions, f.name);
      std::vector<std::string> types = was ? signature(old_, *was) : std::vector<std::string>{};
      f.first_seen = was ? was->first_seen : version_;
      if (const auto removed = take(history_.removed_functions, f.name)) {
        f.first_seen = removed->first_seen;
        types = removed->signature;
      }
      if (!types.empty() && types != signature(now_, f)) {
        auto& timeline = history_.signatures[f.name];
        if (timeline.empty()) timeline.push_back({f.first_seen, types});
        record(timeline, history_.headers, version_, std::optional(signature(now_, f)));
        if (timeline.size() < 2) history_.signatures.erase(f.name);
      }
      if (was) keep_returns(*was, f);
    }
    inherit_returns();
    for (const Function& f : old_.functions)
      if (!find(now_.functions, f.name) && counts(f.first_seen))
        history_.removed_functions.emplace_back(f.name, Removed{f.first_seen, previous_, signature(old_, f), {}, {}});
  }

  // A function that lost its text keeps the codes of the last header that had it.
  void keep_returns(const Function& was, Function& f) const {
    if (f.product.empty() && f.returns.empty()) f.product = was.product;
    if (!f.returns.empty() || was.returns.empty()) return;
    const bool inherited = find(old_.functions, was.doc_from) != nullptr;
    if (inherited) return;  // inherit_returns asks the family again
    f.returns = was.returns;
    f.doc_from = was.doc_from.empty() ? old_.version : was.doc_from;
  }

  // A function that never had a text has the codes of a newer member of its family: of the member that the plain name
  // means in C source, otherwise of the newest one.
  void inherit_returns() {
    for (const auto& [plain, family] : families(now_)) {
      const Function* meant = find(now_.functions, family.default_member);
      const Function source = meant && !meant->returns.empty() ? *meant : *find(now_.functions, family.newest);
      const int newest = split_version(source.name).second;
      for (Function& f : now_.functions) {
        const auto [name, version] = split_version(f.name);
        if (!f.returns.empty() || source.returns.empty() || name != plain || version > newest) continue;
        f.returns = source.returns;
        f.doc_from = source.name;
        if (f.product.empty()) f.product = source.product;
      }
    }
  }

  // The first header of a typedef name that the new header has.
  std::string first_seen_of_layout(const std::map<std::string, const Struct*>& old_layouts,
                                   const std::string& name) const {
    if (const auto was = old_layouts.find(name); was != old_layouts.end())
      return layout_first_seen(history_, name, *was->second);
    const auto timeline = history_.layouts.find(name);
    return timeline == history_.layouts.end() ? version_ : timeline->second.front().from;
  }

  void structs() {
    const auto old_layouts = layouts(old_);
    std::map<std::string, std::string> older_aliases;
    for (Struct& s : now_.structs) {
      s.first_seen = first_seen_of_layout(old_layouts, s.name);
      for (const std::string& alias : s.aliases)
        if (const std::string seen = first_seen_of_layout(old_layouts, alias); seen != s.first_seen)
          older_aliases[alias] = seen;
    }
    for (const LayoutDrift& layout : drift_.layouts) {
      if (!layout.layout_differs()) continue;
      const Struct& was = *old_layouts.at(layout.name);
      step_layout(layout.name, was, layout.change());
    }
    const auto new_layouts = layouts(now_);
    for (const std::string& name : drift_.structs.gone) step_layout(name, *old_layouts.at(name), std::nullopt);
    for (const std::string& name : drift_.structs.added)
      if (const auto t = history_.layouts.find(name); t != history_.layouts.end())
        record(t->second, history_.headers, version_,
               std::optional(LayoutChange{new_layouts.at(name)->size, {}, {}, {}}));
    // A name with a timeline needs no second record.
    std::erase_if(older_aliases, [&](const auto& item) { return history_.layouts.contains(item.first); });
    history_.alias_first_seen = std::move(older_aliases);
  }

  void step_layout(const std::string& name, const Struct& was, const std::optional<LayoutChange>& change) {
    const std::string first = layout_first_seen(history_, name, was);
    if (!counts(first)) {
      history_.layouts.erase(name);
      return;
    }
    auto& timeline = history_.layouts[name];
    if (timeline.empty()) timeline.push_back({first, LayoutChange{was.size, {}, {}, {}}});
    record(timeline, history_.headers, version_, change);
    if (timeline.size() < 2) history_.layouts.erase(name);
  }

  std::string first_seen_of_value(const std::string& name) const {
    if (const auto t = history_.values.find(name); t != history_.values.end()) return t->second.front().from;
    if (const Constant* c = find(old_.constants, name)) return c->since;
    for (const Enum& e : old_.enums)
      if (find(e.values, name)) {
        const std::string* late = find(e.late, name);
        return late ? *late : e.first_seen;
      }
    return version_;
  }

  void step_value(const std::string& name, const nlohmann::json& was, const std::optional<nlohmann::json>& value) {
    const std::string first = first_seen_of_value(name);
    if (!counts(first)) {
      history_.values.erase(name);
      return;
    }
    auto& timeline = history_.values[name];
    if (timeline.empty()) timeline.push_back({first, was});
    record(timeline, history_.headers, version_, value);
    if (timeline.size() < 2) history_.values.erase(name);
  }

  void values_and_enums() {
    for (auto& [name, constant] : now_.constants) constant.since = first_seen_of_value(name);
    for (Enum& e : now_.enums) {
      const Enum* was = find(old_.enums, e.name);
      e.first_seen = was ? was->first_seen : version_;
      if (const auto removed = take(history_.removed_types, e.name)) e.first_seen = removed->first_seen;
      for (const auto& [name, value] : e.values)
        if (const std::string seen = first_seen_of_value(name); compare_versions(seen, e.first_seen) > 0)
          e.late.emplace_back(name, seen);
    }
    const auto old_values = values(old_), new_values = values(now_);
    for (const Changed& c : drift_.values) step_value(c.name, old_values.at(c.name), new_values.at(c.name));
    for (const std::string& name : drift_.constants.gone) step_value(name, old_values.at(name), std::nullopt);
    for (const std::string& name : drift_.constants.added)
      if (const auto t = history_.values.find(name); t != history_.values.end())
        record(t->second, history_.headers, version_, std::optional(new_values.at(name)));
    for (const Enum& e : old_.enums)
      if (!find(now_.enums, e.name)) remove_type(e.name, "enum", e.first_seen);
  }

  void remove_type(const std::string& name, const std::string& kind, const std::string& first_seen) {
    if (counts(first_seen)) history_.removed_types.emplace_back(name, Removed{first_seen, previous_, {}, {}, kind});
  }

  void types() {
    for (Handle& h : now_.handles) {
      const Handle* was = find(old_.handles, h.name);
      h.first_seen = was ? was->first_seen : version_;
      if (const auto removed = take(history_.removed_types, h.name)) h.first_seen = removed->first_seen;
    }
    for (const Typedef& t : now_.typedefs) take(history_.removed_types, t.name);
    for (const Handle& h : old_.handles)
      if (!find(now_.handles, h.name)) remove_type(h.name, "handle", h.first_seen);
    for (const Typedef& t : old_.typedefs)
      if (!find(now_.typedefs, t.name)) remove_type(t.name, "typedef", history_.headers.front());
  }

  void change_aliases() {
    for (const Changed& c : drift_.aliases)
      record(history_.aliases[c.name], history_.headers, version_,
             c.after.empty() ? std::nullopt : std::optional(c.after));
  }

  const Api& old_;
  Api& now_;
  History& history_;
  const Drift& drift_;
  const std::string version_;
  std::string previous_;  ///< the header before this one
};

}  // namespace

void merge_newest(Facts& facts, Api header, const Drift& drift) {
  NewestMerge(facts, header, drift).run();
  facts.api = std::move(header);
}

}  // namespace nvmlgen::headers
