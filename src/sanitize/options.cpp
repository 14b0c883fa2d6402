#include "sanitize/options.hpp"

#include "sanitize/fields.hpp"

namespace nvmlkit::sanitize {
namespace {

constexpr const char* kMatches[] = {"kernel", "mangled", "part", "pattern"};
const std::string kNot = "not.";

}  // namespace

std::string Options::encoded() const {
  std::string out;
  const auto flag = [&](const char* name, bool is_set) { add_field(out, name, is_set ? "1" : "0"); };
  flag("memcheck", memcheck);
  flag("initcheck", initcheck);
  flag("racecheck", racecheck);
  flag("synccheck", synccheck);
  flag("leaks", finds_leaks);
  flag("unused", finds_unused);
  flag("calls", reports_calls);
  flag("ends_context", ends_context);
  for (const auto& filter : kernels) add_field(out, kMatches[static_cast<std::size_t>(filter.match)], filter.text);
  for (const auto& filter : left_out)
    add_field(out, kNot + kMatches[static_cast<std::size_t>(filter.match)], filter.text);
  add_field(out, "skip", launch_skip);
  add_field(out, "count", launch_count);
  add_field(out, "patience", patience_s);
  add_field(out, "seed", seed);
  add_field(out, "only", only_process);
  add_field(out, "path", path);
  return out;
}

bool decode(const std::string& text, Options& out) {
  std::string_view rest = text;
  for (Field field; next_field(rest, field);) {
    const bool is_set = field.value == "1";
    if (field.name == "memcheck") out.memcheck = is_set;
    if (field.name == "initcheck") out.initcheck = is_set;
    if (field.name == "racecheck") out.racecheck = is_set;
    if (field.name == "synccheck") out.synccheck = is_set;
    if (field.name == "leaks") out.finds_leaks = is_set;
    if (field.name == "unused") out.finds_unused = is_set;
    if (field.name == "calls") out.reports_calls = is_set;
    if (field.name == "ends_context") out.ends_context = is_set;
    if (field.name == "skip") out.launch_skip = field.number();
    if (field.name == "count") out.launch_count = field.number();
    if (field.name == "patience") out.patience_s = field.number();
    if (field.name == "seed") out.seed = field.number();
    if (field.name == "only") out.only_process = field.number();
    if (field.name == "path") out.path = field.value;
    for (std::size_t k = 0; k < std::size(kMatches); ++k)
      if (field.name == kMatches[k])
        out.kernels.push_back({static_cast<KernelFilter::Match>(k), field.value});
      else if (field.name == kNot + kMatches[k])
        out.left_out.push_back({static_cast<KernelFilter::Match>(k), field.value});
  }
  return !out.path.empty();
}

}  // namespace nvmlkit::sanitize
