// Error records of the platform, and registers of the GPU's ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nvmlkit/field_values.hpp>
#include <nvmlkit/library.hpp>
#include <optional>
#include <vector>

namespace nvmlkit::nvml {

// Walks through the Common Platform Error Records of the machine's GPUs. Needs root and a driver of CUDA 13.3.
class CperCursor {
 public:
  explicit CperCursor(const Library& library, CperTypes types = CperType::gpu) : session_(library.session()) {
    cursor_.cperTypeMask = to_abi(types);
    cursor_.handle = abi::CPER_CURSOR_HANDLE_INIT;
  }

  // The next bytes, as the UEFI specification lays them out; empty at the end. A failure moves nothing: the next call
  // asks for the same again. @c nvmlSystemGetCPER_v1
  Result<std::optional<std::vector<std::byte>>> next();

  // The GPU of what next() answered last; empty when the driver does not say.
  std::string gpu_uuid() const;

 private:
  SessionPtr session_;
  abi::nvmlCPERCursor_v1_t cursor_{};
};

// A PRM counter of one port.
struct PrmCounterQuery {
  PrmCounterId id;
  unsigned int local_port = 0;
};
struct PrmCounter {
  PrmCounterQuery query;
  Result<FieldNumber> value;
};

// What a PRM register answered: TLV data in network byte order, and the register's own status.
struct PrmAnswer {
  unsigned int status;
  std::vector<std::byte> data;
};

// Limits of a GPU's memory for the processes of a cgroup, in bytes.
struct MemoryLimits {
  unsigned long long soft;
  std::optional<unsigned long long> hard;  // empty: none
  unsigned long long used;
};

// A kind of recorded value of one NVLink.
struct NvlinkTelemetryQuery {
  unsigned int link;
  NvlinkTelemetryType type;
};
// NVIDIA documents neither the unit of the samples nor the time between them.
struct NvlinkTelemetry {
  NvlinkTelemetryQuery query;
  Result<std::vector<unsigned long long>> samples;
};

struct ExcludedDevice {
  std::string bus_id;  // "00000000:53:00.0"
  std::string uuid;
  unsigned int domain;
  unsigned int bus;
  unsigned int device;
  unsigned int pci_device_id;     // device id above vendor id
  unsigned int pci_subsystem_id;  // likewise
};

}  // namespace nvmlkit::nvml
