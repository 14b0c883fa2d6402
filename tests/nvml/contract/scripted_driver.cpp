#include "scripted_driver.hpp"

#include <cstring>

namespace nvmlkit::nvml::test {
namespace {

using interpose::Call;
using interpose::Word;

template <class T>
T* pointer(const Call& call, std::size_t argument) {
  return reinterpret_cast<T*>(call.arguments()[argument]);
}

const std::set<std::size_t>& ground() {
  static const std::set<std::size_t> symbols{symbol_index(&Table::Init_v2),
                                             symbol_index(&Table::Shutdown),
                                             symbol_index(&Table::InitWithFlags),
                                             symbol_index(&Table::EventSetCreate),
                                             symbol_index(&Table::EventSetFree),
                                             symbol_index(&Table::SystemEventSetCreate),
                                             symbol_index(&Table::SystemEventSetFree),
                                             symbol_index(&Table::GpmSampleAlloc),
                                             symbol_index(&Table::GpmSampleFree),
                                             symbol_index(&Table::GetExcludedDeviceCount),
                                             symbol_index(&Table::EventSetGetContextCount_v1),
                                             symbol_index(&Table::EventSetGetContextInfo_v1),
                                             symbol_index(&Table::EventSetGetContextData_v1)};
  return symbols;
}

// What later calls need: a handle, a count, a kind.
void write_ground(const Call& call) {
  const auto handle = std::uintptr_t{0x2000};
  if (call.symbol() == symbol_index(&Table::EventSetCreate))
    *pointer<abi::nvmlEventSet_t>(call, 0) = reinterpret_cast<abi::nvmlEventSet_t>(handle);
  if (call.symbol() == symbol_index(&Table::SystemEventSetCreate))
    pointer<abi::nvmlSystemEventSetCreateRequest_v1_t>(call, 0)->set =
        reinterpret_cast<abi::nvmlSystemEventSet_t>(handle);
  if (call.symbol() == symbol_index(&Table::GpmSampleAlloc))
    *pointer<abi::nvmlGpmSample_t>(call, 0) = reinterpret_cast<abi::nvmlGpmSample_t>(handle);
  if (call.symbol() == symbol_index(&Table::GetExcludedDeviceCount)) *pointer<unsigned int>(call, 0) = 1;
  if (call.symbol() == symbol_index(&Table::EventSetGetContextCount_v1))
    pointer<abi::nvmlEventSetGetContextCount_v1_t>(call, 1)->count = 1;
  if (call.symbol() == symbol_index(&Table::EventSetGetContextInfo_v1)) {
    auto& info = *pointer<abi::nvmlEventSetGetContextInfo_v1_t>(call, 1);
    info.nvmlGpuOperationalEventContextType = abi::NVML_GPU_OPERATIONAL_EVENT_CONTEXT_TYPE_LEGACY_XID;
    info.dataSize = 8;
  }
}

void set_member(Table& table, const Symbol& symbol, bool there) {
  void (*function)() = nullptr;
  if (there) function = [] {};
  std::memcpy(reinterpret_cast<char*>(&table) + symbol.offset, &function, sizeof function);
}

}  // namespace

unsigned int struct_version_of(const Call& call) noexcept {
  const int versioned = call.signature().versioned;
  if (versioned < 0) return 0;
  const auto* tag = pointer<const unsigned int>(call, static_cast<std::size_t>(versioned));
  return tag ? *tag >> 24 : 0;
}

bool ScriptedDriver::is_ground(std::size_t symbol) { return ground().count(symbol) != 0; }

bool ScriptedDriver::describes_records(std::size_t symbol) {
  return symbol == symbol_index(&Table::EventSetGetContextCount_v1) ||
         symbol == symbol_index(&Table::EventSetGetContextInfo_v1) ||
         symbol == symbol_index(&Table::EventSetGetContextData_v1);
}

void ScriptedDriver::script(std::span<const Candidate> candidates, std::function<Errc(const Call&)> answer) {
  about_.clear();
  for (const auto& candidate : candidates)
    about_.insert(static_cast<std::size_t>(find_symbol(candidate.function) - symbols().data()));
  answer_ = std::move(answer);
  asked.clear();
}

Word ScriptedDriver::on_call(const Call& call) noexcept {
  if (!call.returns_code()) {
    asked.push_back({call.symbol(), 0, Errc::success});
    return 0;
  }
  Errc code = Errc::success;
  if (!is_ground(call.symbol()) || about_.count(call.symbol()) != 0) {
    const unsigned int version = struct_version_of(call);  // before the answer is written over it
    if (answer_) code = answer_(call);
    asked.push_back({call.symbol(), version, code});
  }
  if (code == Errc::success) write_ground(call);
  return static_cast<Word>(code);
}

Table whole_table(const std::set<std::string>& hidden) {
  Table table;
  for (const Symbol& symbol : symbols()) set_member(table, symbol, hidden.count(symbol.name) == 0);
  return table;
}

Table ground_table(std::span<const Candidate> without) {
  Table table;
  for (const std::size_t symbol : ground()) set_member(table, symbols()[symbol], true);
  for (const auto& candidate : without) set_member(table, *find_symbol(candidate.function), false);
  // A library cannot be opened without.
  set_member(table, symbol_of(&Table::Init_v2), true);
  return table;
}

}  // namespace nvmlkit::nvml::test
