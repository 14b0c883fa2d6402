#include "drift.hpp"

#include <fmt/format.h>

namespace nvmlgen::headers {

namespace {

void compare_fields(const std::vector<Field>& before, const std::vector<Field>& after, const std::string& prefix,
                    LayoutDrift& drift) {
  for (const Field& f : before)
    if (!find(after, f.name)) drift.removed.push_back(prefix + f.name);
  for (const Field& now : after) {
    const std::string path = prefix + (now.name.empty() ? "(nameless)" : now.name);
    const Field* was = find(before, now.name);
    if (!was) {
      drift.added.push_back(path);
      continue;
    }
    if (was->off != now.off || was->size != now.size)
      drift.moved.push_back({path, was->off, was->size, now.off, now.size});
    else if (was->type != now.type || was->dims != now.dims)
      drift.retyped.push_back(fmt::format("{} ({} -> {})", path, was->type, now.type));
    compare_fields(was->fields, now.fields, path + ".", drift);
  }
}

// Order follows the newer header for what is new, the older one for what went.
template <class List, class NameOf>
NameDrift compare_names(const List& before, const List& after, NameOf name_of) {
  std::set<std::string> old_names, new_names;
  for (const auto& item : before) old_names.insert(name_of(item));
  for (const auto& item : after) new_names.insert(name_of(item));
  NameDrift drift;
  for (const auto& item : after)
    if (!old_names.contains(name_of(item))) drift.added.push_back(name_of(item));
  for (const auto& item : before)
    if (!new_names.contains(name_of(item))) drift.gone.push_back(name_of(item));
  return drift;
}

std::vector<std::string> type_list(const Api& api) {
  std::vector<std::string> names;
  for (const Handle& h : api.handles) names.push_back(h.name);
  for (const Typedef& t : api.typedefs) names.push_back(t.name);
  return names;
}

std::vector<std::string> layout_list(const Api& api) {
  std::vector<std::string> names;
  for (const Struct& s : api.structs) {
    names.push_back(s.name);
    names.insert(names.end(), s.aliases.begin(), s.aliases.end());
  }
  return names;
}

std::vector<std::string> value_list(const Api& api) {
  std::vector<std::string> names;
  for (const Enum& e : api.enums)
    for (const auto& [name, value] : e.values) names.push_back(name);
  for (const auto& [name, constant] : api.constants) names.push_back(name);
  return names;
}

std::string signature_text(const std::vector<std::string>& types) {
  return fmt::format("{} ({})", types.front(), fmt::join(types.begin() + 1, types.end(), ", "));
}

void compare_functions(const Api& before, const Api& after, Drift& drift) {
  for (const Function& now : after.functions) {
    const Function* was = find(before.functions, now.name);
    if (!was) continue;
    const auto old_types = signature(before, *was), new_types = signature(after, now);
    if (old_types != new_types)
      drift.signatures.push_back({now.name, signature_text(old_types), signature_text(new_types)});
    if (was->deprecated != now.deprecated) drift.deprecated.push_back({now.name, was->deprecated, now.deprecated});
  }
}

}  // namespace

LayoutDrift compare_layouts(const std::string& name, const Struct& before, const Struct& after) {
  LayoutDrift drift{name, before.size, after.size, {}, {}, {}, {}};
  compare_fields(before.fields, after.fields, "", drift);
  return drift;
}

LayoutChange LayoutDrift::change() const {
  LayoutChange change{new_size, added, removed, {}};
  for (const FieldMove& move : moved) change.moved_or_resized.push_back(move.name);
  return change;
}

bool Drift::empty() const {
  for (const NameDrift* names : {&functions, &structs, &enums, &constants, &types})
    if (!names->added.empty() || !names->gone.empty()) return false;
  return signatures.empty() && values.empty() && aliases.empty() && deprecated.empty() && layouts.empty();
}

Drift compare(const Api& before, const Api& after) {
  Drift drift;
  drift.before = before.version;
  drift.after = after.version;
  drift.functions_before = before.functions.size();
  drift.functions_after = after.functions.size();
  const auto by_name = [](const auto& item) { return item.name; };
  const auto itself = [](const std::string& name) { return name; };
  drift.functions = compare_names(before.functions, after.functions, by_name);
  drift.structs = compare_names(layout_list(before), layout_list(after), itself);
  drift.enums = compare_names(before.enums, after.enums, by_name);
  drift.constants = compare_names(value_list(before), value_list(after), itself);
  drift.types = compare_names(type_list(before), type_list(after), itself);
  compare_functions(before, after, drift);

  const auto old_layouts = layouts(before), new_layouts = layouts(after);
  for (const std::string& name : layout_list(after)) {
    const auto was = old_layouts.find(name);
    if (was == old_layouts.end()) continue;
    LayoutDrift layout = compare_layouts(name, *was->second, *new_layouts.at(name));
    if (layout.any()) drift.layouts.push_back(std::move(layout));
  }
  const auto old_values = values(before), new_values = values(after);
  for (const std::string& name : value_list(after))
    if (const auto was = old_values.find(name); was != old_values.end() && was->second != new_values.at(name))
      drift.values.push_back({name, was->second.dump(), new_values.at(name).dump()});
  const auto old_aliases = aliases(before), new_aliases = aliases(after);
  for (const auto& [name, target] : new_aliases) {
    const auto was = old_aliases.find(name);
    if (was == old_aliases.end() || was->second != target)
      drift.aliases.push_back({name, was == old_aliases.end() ? "" : was->second, target});
  }
  for (const auto& [name, target] : old_aliases)
    if (!new_aliases.contains(name)) drift.aliases.push_back({name, target, ""});
  return drift;
}

}  // namespace nvmlgen::headers
