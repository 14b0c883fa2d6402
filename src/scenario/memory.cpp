#include "scenario/memory.hpp"

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "scenario/draw.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::scenario {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using sim::steering::Undo;

constexpr int kFormat = 1;

Json as_json(const std::vector<Undo>& list) {
  auto out = Json::array();
  for (const auto& each : list) out.push_back({{"key", each.key}, {"words", each.words}});
  return out;
}

std::vector<Undo> undo_of(const Json& json) {
  std::vector<Undo> out;
  for (const auto& each : json)
    out.push_back({each.at("key").get<std::string>(), each.at("words").get<std::vector<std::string>>()});
  return out;
}

Json as_json(const Progress& progress) {
  return {{"phase", static_cast<int>(progress.phase)},
          {"planned_ns", progress.planned_ns},
          {"began_ns", progress.began_ns},
          {"until_ns", progress.until_ns ? Json(*progress.until_ns) : Json()},
          {"round", progress.round},
          {"counts", progress.counts},
          {"message", progress.message},
          {"undo", as_json(progress.undo)},
          {"did", progress.did}};
}

Progress progress_of(const Json& json) {
  Progress out;
  const auto phase = json.at("phase").get<int>();
  if (phase < 0 || phase > static_cast<int>(Phase::over)) throw std::out_of_range("phase");
  out.phase = static_cast<Phase>(phase);
  out.planned_ns = json.at("planned_ns").get<std::int64_t>();
  out.began_ns = json.at("began_ns").get<std::int64_t>();
  if (const auto& until = json.at("until_ns"); !until.is_null()) out.until_ns = until.get<std::int64_t>();
  out.round = json.at("round").get<std::uint32_t>();
  for (std::size_t i = 0; i < kOutcomes; ++i) out.counts[i] = json.at("counts").at(i).get<std::uint64_t>();
  out.message = json.at("message").get<std::string>();
  out.undo = undo_of(json.at("undo"));
  out.did = json.at("did").get<std::vector<std::string>>();
  return out;
}

Json as_json(const Remembered& entry) {
  auto steps = Json::array();
  for (const auto& each : entry.progress) steps.push_back(as_json(each));
  return {{"hash", entry.hash},
          {"begin_ns", entry.begin_ns},
          {"undo_wanted", entry.undo_wanted},
          {"steps", std::move(steps)},
          {"undo", as_json(entry.undo)}};
}

Remembered remembered_of(const Json& json) {
  Remembered out{json.at("hash").get<std::string>(),
                 json.at("begin_ns").get<std::int64_t>(),
                 json.at("undo_wanted").get<bool>(),
                 {},
                 undo_of(json.at("undo"))};
  for (const auto& each : json.at("steps")) out.progress.push_back(progress_of(each));
  return out;
}

}  // namespace

Memory read_memory(const fs::path& file, const std::string& machine) try {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return {};
  const auto json = Json::parse(stream);
  if (json.at("format").get<int>() != kFormat || json.at("machine").get<std::string>() != machine) return {};
  Memory out;
  for (const auto& [name, entry] : json.at("scenarios").items()) out.emplace(name, remembered_of(entry));
  return out;
} catch (const nlohmann::json::exception&) {
  return {};
} catch (const std::out_of_range&) {
  return {};
}

sim::Expected<void> write_memory(const fs::path& file, const std::string& machine, const Memory& memory) {
  auto scenarios = Json::object();
  for (const auto& [name, entry] : memory) scenarios[name] = as_json(entry);
  const Json all{{"format", kFormat}, {"machine", machine}, {"scenarios", std::move(scenarios)}};
  auto temporary = file;
  temporary += ".new";
  std::ofstream stream(temporary, std::ios::binary);
  // Names of files may have any bytes.
  stream << all.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
  stream.close();
  std::error_code error(stream ? 0 : errno, std::generic_category());
  if (!error) fs::rename(temporary, file, error);
  if (error) return sim::fail(sim::unusable_file(file.string(), "cannot be written: " + error.message()));
  return {};
}

std::string hash_of_text(std::string_view text) {
  return sim::text::hex(hash_of({text})) + "-" + std::to_string(text.size());
}

}  // namespace nvmlkit::scenario
