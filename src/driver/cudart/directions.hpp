// cudaMemcpyKind: the direction of a copy. Programs must pass it, although the addresses determine it.
#pragma once

namespace nvmlkit::cudart {

enum Direction { host_to_host, host_to_device, device_to_host, device_to_device, by_address };

inline bool is_direction(int kind) { return kind >= host_to_host && kind <= by_address; }

}  // namespace nvmlkit::cudart
