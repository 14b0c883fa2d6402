// Types and numbers of NSCQ's C interface, major version 2, as its clients use them.
#pragma once

#include <cstdint>

namespace nvmlkit::nscq {

class Session;
struct Observer;

// 0 is success, 1 to 127 a warning, below 0 an error.
using Result = std::int8_t;
inline constexpr Result kSuccess = 0, kNotImplemented = -1, kInvalidUuid = -2, kNotMountable = -3,
                        kUnsupportedDriver = -6, kDriverError = -7, kUnspecified = -128;

// Cast to the type that the path has: what the braces of the path stand for, a Result, the value, the client's pointer.
using Callback = void (*)();

// What a callback gets of a device: the same address as long as the session is.
struct Uuid {
  std::uint8_t bytes[16];

  friend constexpr bool operator==(const Uuid&, const Uuid&) = default;
};
struct Label {
  char text[64];
};
struct PcieLocation {
  std::uint32_t domain;
  std::uint8_t bus, device, function;
};
struct Throughput {  // in Mibit
  std::uint64_t received, sent;
};
struct Error {
  std::uint32_t number;
  std::uint64_t time;
};
struct FabricState {
  std::int16_t driver, device;
};

// Of the driver and of a device: the fabric manager has configured it.
inline constexpr std::int16_t kConfigured = 2;
enum LinkState : std::int8_t { off = 0, active = 2 };
inline constexpr std::uint8_t kRemoteGpu = 1;
enum Architecture : std::int8_t { sv10, lr10, ls10 };

struct SessionResult {
  Result result;
  Session* session;
};
struct ObserverResult {
  Result result;
  Observer* observer;
};

inline constexpr std::uint32_t kMountDevices = 1;  // at the creation of a session
inline constexpr std::uint32_t kVersion = 2U << 24;

}  // namespace nvmlkit::nscq
