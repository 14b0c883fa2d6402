#include <fmt/format.h>

#include "drift.hpp"

namespace nvmlgen::headers {

namespace {

class Text {
 public:
  void line(const std::string& text) { out_ += text + '\n'; }
  void names(const std::string& title, const std::vector<std::string>& list) {
    if (list.empty()) return;
    line(fmt::format("{} ({}):", title, list.size()));
    for (const std::string& name : list) line("  " + name);
  }
  void changes(const std::string& title, const std::vector<Changed>& list) {
    if (list.empty()) return;
    line(fmt::format("{} ({}):", title, list.size()));
    auto or_none = [](const std::string& text) { return text.empty() ? std::string("(none)") : text; };
    for (const Changed& c : list) line(fmt::format("  {} {} -> {}", c.name, or_none(c.before), or_none(c.after)));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

std::string layout_line(const LayoutDrift& l) {
  std::string text = l.old_size == l.new_size ? fmt::format("  {}: {} bytes", l.name, l.new_size)
                                              : fmt::format("  {}: {} -> {} bytes", l.name, l.old_size, l.new_size);
  if (!l.added.empty()) text += fmt::format("; added {}", fmt::join(l.added, ", "));
  if (!l.removed.empty()) text += fmt::format("; removed {}", fmt::join(l.removed, ", "));
  for (const FieldMove& m : l.moved) {
    if (m.old_off != m.new_off) text += fmt::format("; {} moved from {} to {}", m.name, m.old_off, m.new_off);
    if (m.old_size != m.new_size) text += fmt::format("; {} resized from {} to {}", m.name, m.old_size, m.new_size);
  }
  for (const std::string& r : l.retyped) text += fmt::format("; retyped {}", r);
  return text;
}

void counts(const Drift& d, Text& text) {
  text.line(fmt::format("functions: {} -> {} ({} new, {} gone, {} signatures changed)", d.functions_before,
                        d.functions_after, d.functions.added.size(), d.functions.gone.size(), d.signatures.size()));
  text.line(fmt::format("structs: {} new, {} gone, {} changed; enums: {} new, {} gone; other types: {} new, {} gone",
                        d.structs.added.size(), d.structs.gone.size(), d.layouts.size(), d.enums.added.size(),
                        d.enums.gone.size(), d.types.added.size(), d.types.gone.size()));
  text.line(fmt::format("constants and enum values: {} new, {} gone, {} renumbered", d.constants.added.size(),
                        d.constants.gone.size(), d.values.size()));
}

}  // namespace

std::string to_text(const Drift& d) {
  Text text;
  text.line(fmt::format("drift {} -> {}", d.before.empty() ? "(empty registry)" : d.before, d.after));
  if (!d.note.empty()) text.line(d.note);
  if (d.empty())
    text.line("no drift");
  else
    counts(d, text);
  text.names("new functions", d.functions.added);
  text.names("functions gone", d.functions.gone);
  if (!d.signatures.empty()) text.line(fmt::format("changed signatures ({}):", d.signatures.size()));
  for (const Changed& c : d.signatures)
    text.line(fmt::format("  {}\n    was: {}\n    now: {}", c.name, c.before, c.after));
  text.changes("deprecated since", d.deprecated);
  text.changes("name mappings", d.aliases);
  if (!d.layouts.empty()) text.line(fmt::format("changed struct layouts ({}):", d.layouts.size()));
  for (const LayoutDrift& l : d.layouts) text.line(layout_line(l));
  text.changes("renumbered", d.values);
  text.names("new structs", d.structs.added);
  text.names("structs gone", d.structs.gone);
  text.names("new enums", d.enums.added);
  text.names("enums gone", d.enums.gone);
  text.names("new handles and typedefs", d.types.added);
  text.names("handles and typedefs gone", d.types.gone);
  text.names("new constants and enum values", d.constants.added);
  text.names("constants and enum values gone", d.constants.gone);
  text.names("semantics missing", d.missing_semantics);
  return text.take();
}

}  // namespace nvmlgen::headers
