// The opened library: the root of all other objects.
#pragma once

#include <array>
#include <cstddef>
#include <nvmlkit/errata.hpp>
#include <nvmlkit/generated/library_methods.hpp>
#include <nvmlkit/loader.hpp>
#include <span>
#include <string>
#include <vector>

namespace nvmlkit::nvml {

class Device;
class DeviceRange;
class Unit;
class UnitRange;
class PgpuMetadata;
class VgpuMetadata;
struct ExcludedDevice;
struct VgpuCompatibility;
struct VgpuVersions;

struct OpenOptions {
  LoadOptions load;
  // InitFlag::no_gpus: succeed on a machine without GPUs; InitFlag::no_attach: do not wake or attach GPUs.
  InitFlags flags;
};

// "GPU-8f6b1a2c-...", for device_by_uuid(), of the 16 bytes that CUDA has: cudaDeviceProp::uuid, cuDeviceGetUuid.
std::string gpu_uuid(std::span<const std::byte, 16> bytes);

// The opened driver library. Opened by nvmlInit_v2 (or what the driver has of that family) and closed by one
// nvmlShutdown, when the last object that came from it ends or at close(). Copies share it. Calls may come from any
// thread. After a fork, the child's calls answer Errc::forked and its copies end silently: open again there.
class Library : public LibraryMethods {
 public:
  static Result<Library> open(const OpenOptions& options = {});
  // Any table will do: a simulated driver, a wrapped one, a test's own.
  static Result<Library> from_table(const Table& table, InitFlags flags = {});

  // Shuts down now. Objects that are still around answer Errc::library_closed. No other thread may be in a call.
  Result<void> close() { return session_->close(); }
  bool is_open() const noexcept { return session_->usable(); }
  // What was loaded; empty for a library from a table.
  const std::string& path() const noexcept { return path_; }

  Result<unsigned int> device_count() const;
  Result<Device> device(unsigned int index) const;
  Result<Device> device_by_uuid(const std::string& uuid) const;
  Result<Device> device_by_pci_bus_id(const std::string& bus_id) const;
  // Byte 0 first, as the UUID is written. Needs a driver of CUDA 12.9; with gpu_uuid() any driver finds it.
  // @c nvmlDeviceGetHandleByUUIDV
  Result<Device> device_by_binary_uuid(const std::array<std::byte, 16>& uuid) const;
  Result<Device> device_by_serial(const std::string& serial) const;
  // Every GPU, each with its own success or failure: a lost GPU hides no other.
  Result<DeviceRange> devices() const;

  // Takes a drained GPU away from NVML and the kernel driver. Its Device objects answer Errc::stale_handle afterwards,
  // and go on doing so when it is found again: look it up anew. Drivers that only have the older call keep GPU and link
  // as they are. Needs root. @c nvmlDeviceRemoveGpu_v2 @c nvmlDeviceRemoveGpu
  Result<void> remove_gpu(const PciInfo& pci_info, DetachGpuState gpu_state = DetachGpuState::keep,
                          PcieLinkState link_state = PcieLinkState::keep) const;

  Result<unsigned int> unit_count() const;
  Result<Unit> unit(unsigned int index) const;
  // Include <nvmlkit/ranges.hpp>. @c nvmlUnitGetCount @c nvmlUnitGetHandleByIndex
  Result<UnitRange> units() const;

  // "r550_00" or the like. Needs a driver of CUDA 12.6. @c nvmlSystemGetDriverBranch
  Result<std::string> driver_branch() const;
  // The driver's own words for a code; Failure::message() needs no driver. @c nvmlErrorString
  Result<std::string> driver_text(Errc code) const;
  // In <nvmlkit/diagnostics.hpp>. GPUs that the driver is configured to exclude, each with its own result.
  // @c nvmlGetExcludedDeviceCount @c nvmlGetExcludedDeviceInfoByIndex
  Result<std::vector<Result<ExcludedDevice>>> excluded_devices() const;
  // In <nvmlkit/vgpu.hpp>. Whether a vGPU can go on on a GPU of this or another host. @c nvmlGetVgpuCompatibility
  Result<VgpuCompatibility> vgpu_compatibility(const VgpuMetadata& vgpu, const PgpuMetadata& gpu) const;
  // The versions that guests may negotiate. @c nvmlGetVgpuVersion
  Result<VgpuVersions> vgpu_versions() const;

  // What this driver does differently from the newest header; empty when it does nothing of it.
  Result<std::vector<ActiveErratum>> active_errata() const;

  // Any C function, with the same checks as the methods: library.call(&Table::DeviceGetName, device.handle(), ...).
  template <class Function, class... Arguments>
  Result<void> call(Function Table::*member, Arguments... arguments) const {
    const detail::Outcome outcome = detail::call(*session_, member, arguments...);
    if (!outcome.ok()) return outcome.failure();
    return {};
  }
  const Table& table() const noexcept { return session_->table; }
  const SessionPtr& session() const noexcept { return session_; }

 private:
  Library(SessionPtr session, std::string path) noexcept : LibraryMethods(std::move(session)), path_(std::move(path)) {}
  static Result<Library> start(const Table& table, InitFlags flags, void* linker_handle, std::string path);

  std::string path_;
};

}  // namespace nvmlkit::nvml
