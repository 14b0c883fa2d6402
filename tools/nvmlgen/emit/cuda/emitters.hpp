// Emitters of the simulated CUDA driver.
#pragma once

#include <string>

#include "registry/cuda.hpp"

namespace nvmlgen::cuda {

// src/driver/cuda/generated/api.hpp: the types of the API in our own namespace.
std::string emit_api(const Registry& registry);

// src/driver/cuda/generated/prototypes.hpp: the exported functions, for those who call them.
std::string emit_prototypes(const Registry& registry);

// src/driver/cuda/generated/exports_<subject>.cpp: the C functions of one subject.
std::string emit_exports(const Registry& registry, const std::string& subject);

// src/driver/cuda/generated/functions.hpp: what src/driver/cuda/functions/*.cpp implements.
std::string emit_functions_header(const Registry& registry);

// src/driver/cuda/generated/objects.cpp: exported objects.
std::string emit_objects(const Registry& registry);

// src/driver/cuda/generated/exports.map: the version script; every symbol and nothing else.
std::string emit_version_script(const Registry& registry);

// src/driver/cuda/generated/entry_points.cpp, errors.cpp, attributes.cpp: the tables behind cuGetProcAddress,
// cuGetErrorName, cuGetErrorString and cuDeviceGetAttribute.
std::string emit_entry_points(const Registry& registry);
std::string emit_errors(const Registry& registry);
std::string emit_attributes(const Registry& registry);

// tests/cuda/generated/driver_table.hpp: the functions of a loaded library, with their types.
std::string emit_driver_table(const Registry& registry);

// tests/cuda/generated/contract_table.cpp: what every function checks.
std::string emit_contract_table(const Registry& registry);

// src/driver/cudart/generated/api.hpp: the functions of the runtime with the types of src/driver/cudart.
std::string emit_runtime_api(const Registry& registry);

// src/driver/cudart/generated/driver_calls.cpp: functions that hand their arguments to the driver.
std::string emit_runtime_driver_calls(const Registry& registry);

// src/driver/cudart/generated/variants.cpp: the functions of the per-thread default stream.
std::string emit_runtime_variants(const Registry& registry);

// src/driver/cudart/generated/unsupported.cpp: functions of the runtime that only say that they are not there.
std::string emit_runtime_unsupported(const Registry& registry);

// docs/reference/cudart.md
std::string emit_runtime_reference(const Registry& registry);

// tests/cuda/generated/runtime_contract_table.cpp: the signatures of the runtime's functions.
std::string emit_runtime_contract_table(const Registry& registry);

// tests/cuda/generated/against_cuda_h.cpp: every number of api.hpp beside NVIDIA's own, where the header is at hand.
std::string emit_header_check(const Registry& registry);

// docs/reference/cuda.md
std::string emit_reference(const Registry& registry);

}  // namespace nvmlgen::cuda
