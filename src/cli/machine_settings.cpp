#include "cli/machine_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <utility>

#include "sim/config/choice.hpp"
#include "sim/config/read_file.hpp"
#include "sim/problem/names.hpp"
#include "sim/state/layout.hpp"
#include "storage/hash.hpp"

namespace nvmlkit::cli {
namespace {

constexpr std::string_view kHead = "# What the machine beside this file was made from.\n";
// A state file of another version cannot be kept.
constexpr const char* kBuild = "nvmlkit";

std::string hashed(std::string_view text) {
  storage::Hash hash;
  hash.add(text);
  return fmt::format("{:016x}", hash.value());
}

// One line, and different for texts that differ.
std::string one_line(std::string_view text) {
  auto out = sim::quote(text);
  const bool whole = out == fmt::format("'{}'", text);
  return whole ? out : fmt::format("{} {}", out, hashed(text));
}

std::string content_of(const std::string& path) {
  const auto text = sim::config::read_file(path);
  return text ? hashed(*text) : "unreadable";
}

std::map<std::string, std::string> read_values(const std::string& text) {
  std::map<std::string, std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (const auto colon = line.find(": "); !line.starts_with('#') && colon != line.npos)
      out[line.substr(0, colon)] = line.substr(colon + 2);
  return out;
}

std::string value_in(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto at = values.find(key);
  return at == values.end() ? "none" : at->second;
}

}  // namespace

MachineSettings MachineSettings::of(const sim::Environment& environment) {
  const auto choice = sim::config::choose(environment);
  MachineSettings out;
  const auto format = sim::state::file_format();
  out.values_[kBuild] = fmt::format("{} {:016x}", format.version, format.layout);
  out.values_["machine"] = one_line(choice.name);
  if (choice.source == sim::config::Choice::Source::machine_file) out.values_["content"] = content_of(choice.name);
  out.given_ = sim::config::names_machine(environment);
  using Named = std::pair<const char*, const std::optional<sim::config::Setting>*>;
  for (const auto& [name, setting] :
       std::initializer_list<Named>{{"gpus", &choice.gpu_count},
                                    {"driver", choice.driver ? &choice.driver : &choice.any_version},
                                    {"time", &choice.pace},
                                    {"seed", &choice.seed}}) {
    if (!*setting) continue;
    out.values_[name] = one_line((*setting)->text);
    out.given_ = true;
  }
  return out;
}

std::string MachineSettings::text() const {
  std::string out(kHead);
  for (const auto& [name, value] : values_) out += fmt::format("{}: {}\n", name, value);
  return out;
}

std::string MachineSettings::difference_to(const std::optional<std::string>& text) const {
  if (!text) return "settings that it does not name";
  const auto before = read_values(*text);
  if (value_in(before, kBuild) != value_in(values_, kBuild)) return "another build of nvmlkit";
  auto names = values_;
  names.insert(before.begin(), before.end());
  std::string out;
  for (const auto& [name, ignored] : names) {
    const auto old = value_in(before, name), now = value_in(values_, name);
    if (old != now) out += fmt::format("{}{} {} (now {})", out.empty() ? "" : ", ", name, old, now);
  }
  return out;
}

}  // namespace nvmlkit::cli
