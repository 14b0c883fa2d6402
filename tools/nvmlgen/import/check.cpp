#include "check.hpp"

#include <fmt/format.h>

#include "drift.hpp"

namespace nvmlgen::headers {

namespace {

class Check {
 public:
  Check(const Facts& facts, const Api& header) : facts_(facts), header_(header) {
    const auto& headers = facts.history.headers;
    older_ = !facts.api.version.empty() && compare_versions(header.version, facts.api.version) < 0;
    listed_ = std::find(headers.begin(), headers.end(), header.version) != headers.end();
  }

  CheckResult run() {
    functions();
    structs();
    values_of_names();
    enums_and_types();
    mappings();
    return std::move(result_);
  }

 private:
  template <class T, class Equal>
  bool explained(const std::map<std::string, Timeline<T>>& timelines, const std::string& name,
                 const Equal& equal) const {
    const auto it = timelines.find(name);
    if (!older_ || it == timelines.end()) return false;
    if (listed_) {
      const T* value = at(it->second, header_.version);
      return value && equal(*value);
    }
    return std::any_of(it->second.begin(), it->second.end(),
                       [&](const Step<T>& step) { return step.value && equal(*step.value); });
  }

  void differs(bool known, const std::string& what) {
    ++(known ? result_.known : result_.contradictions);
    result_.lines.push_back((known ? "known: " : "contradiction: ") + what);
  }

  void only_in_header(const std::string& what, const std::string& name) {
    ++result_.unknown;
    result_.lines.push_back(fmt::format("not in the registry: {} {}", what, name));
  }

  void functions() {
    for (const Function& f : header_.functions) {
      const auto theirs = signature(header_, f);
      std::vector<std::string> ours;
      if (const Function* known = find(facts_.api.functions, f.name))
        ours = signature(facts_.api, *known);
      else if (const Removed* removed = find(facts_.history.removed_functions, f.name))
        ours = removed->signature;
      else
        only_in_header("function", f.name);
      if (ours.empty() || ours == theirs) continue;
      const bool known = explained(facts_.history.signatures, f.name, [&](const auto& sig) { return sig == theirs; });
      differs(known, fmt::format("signature of {}: registry ({}), header ({})", f.name, fmt::join(ours, ", "),
                                 fmt::join(theirs, ", ")));
    }
    for (const Function& f : facts_.api.functions) result_.absent += !find(header_.functions, f.name);
  }

  void structs() {
    const auto ours = layouts(facts_.api);
    for (const auto& [name, theirs] : layouts(header_)) {
      const auto it = ours.find(name);
      const bool known = explained(facts_.history.layouts, name,
                                   [s = theirs](const LayoutChange& change) { return change.size == s->size; });
      if (it == ours.end()) {
        if (!known) only_in_header("struct", name);
        continue;
      }
      const LayoutDrift layout = compare_layouts(name, *it->second, *theirs);
      if (layout.layout_differs()) differs(known, describe(layout));
    }
    for (const auto& [name, record] : ours) result_.absent += !layouts(header_).contains(name);
  }

  static std::string describe(const LayoutDrift& l) {
    std::string text = fmt::format("layout of {}: registry {} bytes, header {} bytes", l.name, l.old_size, l.new_size);
    if (!l.removed.empty()) text += fmt::format("; only in the registry {}", fmt::join(l.removed, ", "));
    if (!l.added.empty()) text += fmt::format("; only in the header {}", fmt::join(l.added, ", "));
    for (const FieldMove& m : l.moved)
      text += fmt::format("; {} registry at {} size {}, header at {} size {}", m.name, m.old_off, m.old_size, m.new_off,
                          m.new_size);
    return text;
  }

  void values_of_names() {
    const auto ours = values(facts_.api), theirs = values(header_);
    for (const auto& [name, value] : theirs) {
      const auto it = ours.find(name);
      const bool known =
          explained(facts_.history.values, name, [v = value](const nlohmann::json& old) { return old == v; });
      if (it == ours.end()) {
        if (!known) only_in_header("constant", name);
      } else if (it->second != value) {
        differs(known, fmt::format("value of {}: registry {}, header {}", name, it->second.dump(), value.dump()));
      }
    }
    for (const auto& [name, value] : ours) result_.absent += !theirs.contains(name);
  }

  void enums_and_types() {
    for (const Enum& e : header_.enums)
      if (const Enum* known = find(facts_.api.enums, e.name); known && known->size != e.size)
        differs(false, fmt::format("size of enum {}: registry {}, header {}", e.name, known->size, e.size));
    for (const Typedef& t : header_.typedefs)
      if (const Typedef* known = find(facts_.api.typedefs, t.name); known && known->canon != t.canon)
        differs(false, fmt::format("typedef {}: registry {}, header {}", t.name, known->canon, t.canon));
    // The value of a version macro follows from the size of its struct, which has been compared.
    for (const auto& [name, version] : header_.struct_versions)
      if (const StructVersion* known = find(facts_.api.struct_versions, name);
          known && known->version != version.version)
        differs(false, fmt::format("version in {}: registry {}, header {}", name, known->version, version.version));
  }

  void mappings() {
    const auto ours = aliases(facts_.api);
    for (const auto& [name, target] : aliases(header_)) {
      const auto it = ours.find(name);
      if (it == ours.end() || it->second == target) continue;
      const bool known =
          explained(facts_.history.aliases, name, [t = target](const std::string& old) { return old == t; });
      differs(known, fmt::format("mapping of {}: registry {}, header {}", name, it->second, target));
    }
  }

  const Facts& facts_;
  const Api& header_;
  bool older_ = false, listed_ = false;
  CheckResult result_;
};

}  // namespace

CheckResult check(const Facts& facts, const Api& header) { return Check(facts, header).run(); }

}  // namespace nvmlgen::headers
