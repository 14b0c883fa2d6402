#include "cli/caps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <nvmlkit/interpose/hook.hpp>
#include <nvmlkit/nvml.hpp>

namespace nvmlkit::cli {
namespace {

using nvml::Errc;
using nvml::Table;
using nvml::interpose::Argument;
using nvml::interpose::ArgumentKind;
using nvml::interpose::Effect;
using nvml::interpose::Signature;
using nvml::interpose::Subject;
using nvml::interpose::Word;

constexpr const char* kNotProbed = "not probed";

bool exported(const Table& table, const nvml::Symbol& symbol) {
  void* function = nullptr;
  std::memcpy(&function, reinterpret_cast<const char*>(&table) + symbol.offset, sizeof function);
  return function != nullptr;
}

bool safe(const Signature& signature) {
  return signature.effect == Effect::reads && signature.subject != Subject::other;
}

const char* scope_of(Subject subject) {
  return subject == Subject::device ? "gpu" : subject == Subject::none ? "host" : "-";
}

// The arguments of one call, and the memory behind them.
class Arguments {
 public:
  Arguments(const Signature& signature, abi::nvmlDevice_t device) {
    const auto arguments = signature.arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      switch (arguments[i].kind) {
        case ArgumentKind::value:
          break;
        case ArgumentKind::handle:
          words_[i] = reinterpret_cast<Word>(device);
          break;
        default:
          words_[i] = memory(i, std::max<std::size_t>(arguments[i].size * kElements, kSmallest));
      }
    }
    for (const Argument& argument : arguments) {
      if (argument.length < 0) continue;
      const auto length = static_cast<std::size_t>(argument.length);
      if (arguments[length].kind == ArgumentKind::value)
        words_[length] = kElements;
      else
        put(length, kElements);
    }
    if (signature.versioned >= 0) put(static_cast<std::size_t>(signature.versioned), signature.version);
  }

  const Word* words() const { return words_.data(); }

 private:
  static constexpr std::uint32_t kElements = 96;                   // as long as names and UUIDs are at most
  static constexpr std::size_t kSmallest = std::size_t{64} << 10;  // drivers newer than the header may write more

  Word memory(std::size_t index, std::size_t size) {
    memory_[index] = std::make_unique<unsigned char[]>(size);
    return reinterpret_cast<Word>(memory_[index].get());
  }
  void put(std::size_t index, std::uint32_t number) { std::memcpy(memory_[index].get(), &number, sizeof number); }

  std::array<Word, 8> words_{};
  std::array<std::unique_ptr<unsigned char[]>, 8> memory_;
};

std::string answer_of(Errc code) {
  switch (code) {
    case Errc::success:
    case Errc::insufficient_size:  // it told how many there are
      return "works";
    case Errc::not_supported:
      return "not supported";
    case Errc::no_permission:
      return "no permission";
    default:
      return "error " + nvml::name_of(code);
  }
}

std::string ask(const Table& table, std::size_t symbol, abi::nvmlDevice_t device) {
  const Arguments arguments(nvml::interpose::signatures()[symbol], device);
  return answer_of(static_cast<Errc>(static_cast<int>(nvml::interpose::invoke(table, symbol, arguments.words()))));
}

template <class Function, class... Before>
std::string text(Function function, Before... before) {
  std::array<char, 96> out{};
  if (function && function(before..., out.data(), out.size() - 1) == abi::NVML_SUCCESS) return out.data();
  return "?";
}

std::vector<abi::nvmlDevice_t> devices_of(const Table& table) {
  unsigned int count = 0;
  const auto get_count = table.DeviceGetCount_v2 ? table.DeviceGetCount_v2 : table.DeviceGetCount;
  const auto get = table.DeviceGetHandleByIndex_v2 ? table.DeviceGetHandleByIndex_v2 : table.DeviceGetHandleByIndex;
  if (!get_count || !get || get_count(&count) != abi::NVML_SUCCESS) return {};
  std::vector<abi::nvmlDevice_t> devices(count);  // null for a GPU that cannot be opened
  for (unsigned int i = 0; i < count; ++i)
    if (get(i, &devices[i]) != abi::NVML_SUCCESS) devices[i] = nullptr;
  return devices;
}

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

void print_text(const Capabilities& capabilities) {
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

void print_json(const Capabilities& capabilities) {
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

}  // namespace

Capabilities probe(const Table& table) {
  Capabilities out;
  out.driver_version = text(table.SystemGetDriverVersion);
  out.nvml_version = text(table.SystemGetNVMLVersion);
  const auto devices = devices_of(table);
  for (const auto device : devices)
    out.gpus.push_back(device ? Capabilities::Gpu{text(table.DeviceGetName, device), text(table.DeviceGetUUID, device)}
                              : Capabilities::Gpu{"?", "?"});
  for (std::size_t i = 0; i < nvml::kSymbolCount; ++i) {
    const nvml::Symbol& symbol = nvml::symbols()[i];
    const Signature& signature = nvml::interpose::signatures()[i];
    Capabilities::Row row{symbol.name, scope_of(signature.subject), {}};
    const bool per_gpu = safe(signature) && signature.subject == Subject::device;
    if (!exported(table, symbol))
      row.answers.assign(per_gpu ? devices.size() : 1, "no symbol");
    else if (!safe(signature))
      row.answers = {kNotProbed};
    else if (!per_gpu)
      row.answers = {ask(table, i, nullptr)};
    else
      for (const auto device : devices) row.answers.push_back(device ? ask(table, i, device) : "error no handle");
    out.rows.push_back(std::move(row));
  }
  return out;
}

Capabilities symbols_of(const Table& table) {
  Capabilities out;
  for (std::size_t i = 0; i < nvml::kSymbolCount; ++i) {
    const nvml::Symbol& symbol = nvml::symbols()[i];
    out.rows.push_back({symbol.name,
                        scope_of(nvml::interpose::signatures()[i].subject),
                        {exported(table, symbol) ? kNotProbed : "no symbol"}});
  }
  return out;
}

int caps(const std::string& path, bool as_json) {
  nvml::OpenOptions options;
  options.load.path = path;
  const auto library = nvml::Library::open(options);
  Capabilities capabilities;
  if (library) {
    capabilities = probe(library->table());
    capabilities.library = library->path();
  } else {
    const std::string problem = library.error().message();
    fmt::print(stderr, "nvmlkit: no working NVML library: {}\n", problem);
    if (const std::string advice = library.error().advice(); !advice.empty()) fmt::print(stderr, "{}\n", advice);
    const auto silent = nvml::load(options.load);
    if (!silent) return 1;
    capabilities = symbols_of(silent->table);
    capabilities.library = silent->path;
    capabilities.problem = problem;
  }
  as_json ? print_json(capabilities) : print_text(capabilities);
  return library ? 0 : 1;
}

}  // namespace nvmlkit::cli
