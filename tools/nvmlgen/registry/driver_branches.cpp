#include "registry/driver_branches.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "registry/error.hpp"

namespace nvmlgen {
namespace {

nlohmann::json read_json(const std::filesystem::path& file) {
  std::ifstream in(file);
  auto json = nlohmann::json::parse(in, nullptr, false);
  if (json.is_discarded()) throw RegistryError(file.string(), "cannot be read");
  return json;
}

class History {
 public:
  explicit History(const std::filesystem::path& facts)
      : history_(read_json(facts / "history.json")), constants_(read_json(facts / "constants.json")) {
    for (const auto& header : history_.at("headers")) headers_.push_back(header);
  }

  std::optional<std::size_t> place(const std::string& header) const {
    const auto found = std::find(headers_.begin(), headers_.end(), header);
    if (found == headers_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - headers_.begin());
  }

  // What a constant was in a header; nothing where the header did not have it.
  std::optional<std::int64_t> value(const Constant& constant, std::size_t header) const {
    const auto& changes = history_.at("constant_changes");
    if (const auto changed = changes.find(constant.name); changed != changes.end()) {
      std::optional<std::int64_t> value;
      for (const auto& change : *changed)
        if (place(change.at(0)).value() <= header)
          value = change.at(1).is_null() ? std::nullopt : std::optional<std::int64_t>(change.at(1));
      return value;
    }
    const auto since = place(constants_.at(constant.name).value("since", headers_.front()));
    if (since && *since > header) return std::nullopt;
    return constant.number;
  }

 private:
  nlohmann::json history_, constants_;
  std::vector<std::string> headers_;
};

const Constant* find_constant(const Facts& facts, const std::string& name) {
  const auto found =
      std::find_if(facts.constants.begin(), facts.constants.end(), [&](const auto& c) { return c.name == name; });
  return found == facts.constants.end() ? nullptr : &*found;
}

struct Numbering {
  std::int64_t limit = 0;
  std::map<std::int64_t, std::int64_t> moved;
};

Numbering numbering_of(const Facts& facts, const History& history, std::size_t header) {
  Numbering out;
  std::map<std::int64_t, std::int64_t> todays;
  for (const auto& constant : facts.constants) {
    if (constant.name.rfind("NVML_FI_", 0) != 0) continue;
    const auto value = history.value(constant, header);
    if (constant.name == "NVML_FI_MAX")
      out.limit = value.value_or(0);
    else if (value)
      todays.emplace(*value, constant.number);
  }
  for (const auto& [id, today] : todays)
    if (id != today) out.moved[id] = today;
  // An id below the limit that only later names have was called otherwise then; its number is taken to mean the same.
  return out;
}

}  // namespace

CudaOfBranches load_cuda_of_branches(const std::filesystem::path& registry) {
  const auto file = registry / "semantics" / "values" / "driver_branches.yaml";
  CudaOfBranches out;
  try {
    for (const auto& item : YAML::LoadFile(file.string())) {
      const auto cuda = item.second["cuda"] ? item.second["cuda"].as<std::string>() : std::string();
      const auto dot = cuda.find('.');
      if (dot == 0 || dot == std::string::npos || dot + 1 == cuda.size() ||
          cuda.find_first_not_of("0123456789", dot + 1) != std::string::npos ||
          cuda.find_first_not_of("0123456789") != dot)
        throw RegistryError(file.string() + ":" + std::to_string(item.first.Mark().line + 1),
                            "a branch needs cuda: MAJOR.MINOR");
      out[item.first.as<unsigned>()] = cuda;
    }
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  }
  return out;
}

std::vector<DriverBranch> load_driver_branches(const std::filesystem::path& registry, const Facts& facts) {
  const auto file = registry / "semantics" / "values" / "driver_branches.yaml";
  const History history(registry / "facts");
  std::vector<DriverBranch> out;
  try {
    for (const auto& item : YAML::LoadFile(file.string())) {
      if (!item.second["version"]) continue;  // the simulated driver cannot be it
      DriverBranch branch;
      branch.number = item.first.as<unsigned>();
      branch.version = item.second["version"].as<std::string>();
      branch.header = item.second["header"].as<std::string>();
      const auto numbering_in = [&](const std::string& header) {
        const auto place = history.place(header);
        if (!place) throw RegistryError(file.string(), "no header " + header + " in the history");
        return numbering_of(facts, history, *place);
      };
      if (branch.version.rfind(std::to_string(branch.number) + ".", 0) != 0)
        throw RegistryError(file.string(), branch.version + " is no version of " + std::to_string(branch.number));
      const Numbering numbering = numbering_in(branch.header);
      branch.field_limit = numbering.limit;
      branch.moved_fields = numbering.moved;
      if (const auto later = item.second["renumbered"])
        branch.renumberings.push_back(
            {later["since"].as<unsigned>(), branch.field_limit, numbering_in(later["header"].as<std::string>()).moved});
      if (const auto later = item.second["extended"]) {
        const auto header = numbering_in(later["header"].as<std::string>());
        Renumbering extended{later["since"].as<unsigned>(), header.limit, header.moved};
        for (const auto& name : later["without"]) {
          const auto* constant = find_constant(facts, name.as<std::string>());
          if (!constant) throw RegistryError(file.string(), "no field " + name.as<std::string>());
          extended.moved_fields[constant->number] = 0;
        }
        branch.renumberings.push_back(std::move(extended));
      }
      out.push_back(std::move(branch));
    }
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  for (const auto& exports : facts.exports)
    if (std::none_of(out.begin(), out.end(), [&](const auto& b) { return std::to_string(b.number) == exports.first; }))
      throw RegistryError(file.string(), "no entry for branch " + exports.first + " of the facts");
  return out;
}

}  // namespace nvmlgen
