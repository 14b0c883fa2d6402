// Constants that the API has as macros, outside of any enum.
#pragma once

namespace nvmlkit::cuda {

inline constexpr unsigned kCuMemhostallocPortable = 1;
inline constexpr unsigned kCuMemhostallocDevicemap = 2;
inline constexpr unsigned kCuMemhostallocWritecombined = 4;
inline constexpr unsigned kCuMemhostregisterPortable = 1;
inline constexpr unsigned kCuMemhostregisterDevicemap = 2;
inline constexpr unsigned kCuMemhostregisterIomemory = 4;
inline constexpr unsigned kCuMemhostregisterReadOnly = 8;

}  // namespace nvmlkit::cuda
