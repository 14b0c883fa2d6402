#include "cli/capabilities.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
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
class CallArguments {
 public:
  CallArguments(const Signature& signature, abi::nvmlDevice_t device) {
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
    case Errc::insufficient_size:  // it returned the number
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
  const CallArguments arguments(nvml::interpose::signatures()[symbol], device);
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

}  // namespace nvmlkit::cli
