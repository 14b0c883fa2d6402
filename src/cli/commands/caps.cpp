// nvmlkit caps
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <nvmlkit/nvml.hpp>

#include "cli/capabilities.hpp"
#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/library.hpp"

namespace nvmlkit::cli {
namespace {

struct CapsOptions {
  LibraryOptions library;
  bool as_json = false;
};

// How many answers of each kind there are; an answer for each GPU.
std::map<std::string, std::size_t> count_answers(const Capabilities& capabilities) {
  std::map<std::string, std::size_t> counts;
  for (const auto& row : capabilities.rows)
    for (const auto& answer : row.answers) ++counts[answer];
  return counts;
}

std::size_t not_probed(const Capabilities& capabilities) {
  return static_cast<std::size_t>(
      std::count_if(capabilities.rows.begin(), capabilities.rows.end(), [](const auto& row) {
        return std::find(row.answers.begin(), row.answers.end(), kNotProbed) != row.answers.end();
      }));
}

void print_capabilities(const Capabilities& capabilities) {
  fmt::print("library  {}\n", capabilities.library);
  if (capabilities.problem.empty())
    fmt::print("driver   {}\nnvml     {}\n", capabilities.driver_version, capabilities.nvml_version);
  else
    fmt::print("driver   none: {}\n", capabilities.problem);
  for (std::size_t i = 0; i < capabilities.gpus.size(); ++i)
    fmt::print("GPU {:<3}  {}  {}\n", i, capabilities.gpus[i].name, capabilities.gpus[i].uuid);
  fmt::print("\n");
  std::size_t width = 0;
  for (const auto& row : capabilities.rows) width = std::max(width, std::strlen(row.symbol));
  for (const auto& row : capabilities.rows) {
    std::string line = fmt::format("{:<{}}  {}", row.symbol, width, fmt::format("{:<4}", row.scope));
    // One answer where all GPUs agree.
    const bool agree =
        std::equal(row.answers.begin() + (row.answers.empty() ? 0 : 1), row.answers.end(), row.answers.begin());
    for (std::size_t i = 0; i < (agree ? std::min<std::size_t>(row.answers.size(), 1) : row.answers.size()); ++i)
      line += fmt::format("{}{}{}", i ? ", " : "  ", agree ? "" : fmt::format("{}: ", i), row.answers[i]);
    fmt::print("{}\n", line);
  }
  fmt::print("\n");
  for (const auto& [answer, count] : count_answers(capabilities)) fmt::print("{:>6}  {}\n", count, answer);
  if (!capabilities.problem.empty()) return;
  fmt::print(
      "{} of {} functions are not probed: they change something, wait, or need a key or another object than a GPU\n",
      not_probed(capabilities), capabilities.rows.size());
}

void print_capabilities_as_json(const Capabilities& capabilities) {
  using Json = nlohmann::ordered_json;
  Json gpus = Json::array(), rows = Json::array();
  for (const auto& gpu : capabilities.gpus) gpus.push_back({{"name", gpu.name}, {"uuid", gpu.uuid}});
  for (const auto& row : capabilities.rows)
    rows.push_back({{"symbol", row.symbol}, {"scope", row.scope}, {"answers", row.answers}});
  const bool asked = capabilities.problem.empty();
  const Json out{{"library", capabilities.library},
                 {"driver_version", asked ? Json(capabilities.driver_version) : Json()},
                 {"nvml_version", asked ? Json(capabilities.nvml_version) : Json()},
                 {"problem", asked ? Json() : Json(capabilities.problem)},
                 {"gpus", gpus},
                 {"functions", rows},
                 {"answers", count_answers(capabilities)},
                 {"not_probed", not_probed(capabilities)}};
  // Names of devices are the driver's and need not be UTF-8.
  fmt::print("{}\n", out.dump(1, ' ', false, Json::error_handler_t::replace));
}

// Without a driver, what the library exports is printed all the same.
int show_capabilities(const CapsOptions& options) {
  const auto open = options.library.choose();
  const auto library = nvml::Library::open(open);
  Capabilities capabilities;
  if (library) {
    capabilities = probe(library->table());
    capabilities.library = library->path();
  } else {
    const auto silent = nvml::load(open.load);
    if (!silent) throw CommandError(no_library(library.error()), kFailed);
    fmt::print(stderr, "nvmlkit: {}\n", explain(library.error()));
    capabilities = symbols_of(silent->table);
    capabilities.library = silent->path;
    capabilities.problem = library.error().message();
  }
  options.as_json ? print_capabilities_as_json(capabilities) : print_capabilities(capabilities);
  return library ? 0 : kFailed;
}

}  // namespace

Command caps_command() {
  return {.name = "caps",
          .summary = "Show which NVML functions work on which GPU: of the NVIDIA driver here, or of a machine",
          .group = Group::real,
          .details =
              "Calls only functions that read. A function that changes something, waits, or needs another object "
              "than a GPU is not probed.\n\n"
              "The exit status is 1 where there is no driver; the symbols of the library are shown all the same.",
          .examples = {{"nvmlkit caps", "the NVIDIA driver of this computer"},
                       {"nvmlkit caps -m h100 --driver 535", "a simulated H100 with a driver of branch 535"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<CapsOptions>();
            declare_json(arguments, options->as_json);
            options->library.declare(arguments);
            return [options] { return show_capabilities(*options); };
          }};
}

}  // namespace nvmlkit::cli
