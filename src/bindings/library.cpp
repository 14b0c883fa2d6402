#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/device.hpp>
#include <nvmlkit/library.hpp>
#include <nvmlkit/objects.hpp>

#include "platform/platform.hpp"

namespace nvmlkit::nvml {
namespace {

using detail::Outcome;

template <class Function, class... Arguments>
auto init_by(const Table& table, Function Table::*member, Arguments... arguments) {
  return detail::by(member, 0, [&table, member, arguments...]() -> Result<void> {
    const Outcome outcome{table.*member ? static_cast<Errc>((table.*member)(arguments...)) : Errc::function_not_found,
                          symbol_index(member)};
    if (!outcome.ok()) return outcome.failure();
    return {};
  });
}

// Calls the init that fits: with flags only nvmlInitWithFlags, else the newest that the library has.
Result<void> initialize(const Table& table, InitFlags flags) {
  if (!flags.empty()) return init_by(table, &Table::InitWithFlags, to_abi(flags))();
  return detail::newest_of(init_by(table, &Table::Init_v2), init_by(table, &Table::Init));
}

// The device that `ask` finds: ask(nvmlDevice_t*) -> Outcome.
template <class Ask>
Result<Device> device_from(const SessionPtr& state, Ask ask) {
  abi::nvmlDevice_t handle{};
  const Outcome outcome = ask(&handle);
  if (!outcome.ok()) return outcome.failure();
  return Device(state, handle);
}

// One version of a lookup, which takes a key.
template <class Function, class Key>
auto by_key(const SessionPtr& state, Function Table::*member, Key key) {
  return detail::by(member, 0, [&state, member, key] {
    return device_from(state, [&](auto* out) { return detail::call(*state, member, key, out); });
  });
}

Result<Device> device_at(const SessionPtr& state, unsigned int index) {
  return detail::newest_of(by_key(state, &Table::DeviceGetHandleByIndex_v2, index),
                           by_key(state, &Table::DeviceGetHandleByIndex, index));
}

template <class Function>
auto count_by(const SessionPtr& state, Function Table::*member) {
  return detail::by(member, 0, [&state, member]() -> Result<unsigned int> {
    unsigned int count = 0;
    const Outcome outcome = detail::call(*state, member, &count);
    if (!outcome.ok()) return outcome.failure();
    return count;
  });
}

}  // namespace

Result<Library> Library::start(const Table& table, InitFlags flags, void* linker_handle, std::string path) {
  const Result<void> started = initialize(table, flags);
  if (!started) {
    if (linker_handle) platform::dl_close(linker_handle);
    return started.error();
  }
  Result<Library> library = Library(std::make_shared<Session>(table, linker_handle), std::move(path));
  static_cast<Provenance&>(library) = started;
  return library;
}

Result<Library> Library::open(const OpenOptions& options) {
  Result<LoadedLibrary> loaded = load(options.load);
  if (!loaded) return loaded.error();
  return start(loaded->table, options.flags, options.load.keep_open ? nullptr : loaded->handle, loaded->path);
}

Result<Library> Library::from_table(const Table& table, InitFlags flags) { return start(table, flags, nullptr, {}); }

Result<unsigned int> Library::device_count() const {
  return detail::newest_of(count_by(session_, &Table::DeviceGetCount_v2), count_by(session_, &Table::DeviceGetCount));
}

Result<Device> Library::device(unsigned int index) const { return device_at(session_, index); }

Result<Device> Library::device_by_uuid(const std::string& uuid) const {
  return by_key(session_, &Table::DeviceGetHandleByUUID, uuid.c_str())();
}

Result<Device> Library::device_by_pci_bus_id(const std::string& bus_id) const {
  return detail::newest_of(by_key(session_, &Table::DeviceGetHandleByPciBusId_v2, bus_id.c_str()),
                           by_key(session_, &Table::DeviceGetHandleByPciBusId, bus_id.c_str()));
}

Result<Device> Library::device_by_serial(const std::string& serial) const {
  return by_key(session_, &Table::DeviceGetHandleBySerial, serial.c_str())();
}

Result<DeviceRange> Library::devices() const {
  const Result<unsigned int> count = device_count();
  if (!count) return count.error();
  return DeviceRange(session_, *count);
}

Result<unsigned int> Library::unit_count() const { return count_by(session_, &Table::UnitGetCount)(); }

Result<Unit> Library::unit(unsigned int index) const {
  abi::nvmlUnit_t handle{};
  const Outcome outcome = detail::call(*session_, &Table::UnitGetHandleByIndex, index, &handle);
  if (!outcome.ok()) return outcome.failure();
  return Unit(session_, handle);
}

Result<Device> DeviceRange::operator[](unsigned int index) const { return device_at(session_, index); }

}  // namespace nvmlkit::nvml
