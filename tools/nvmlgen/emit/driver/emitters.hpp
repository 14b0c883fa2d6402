// Emitters of the simulated driver: its exported C functions, their implementations, its symbols, its contract.
#pragma once

#include <string>

#include "registry/registry.hpp"

namespace nvmlgen {

// src/driver/nvml/generated/exports_<subject>.cpp: the C functions of one subject.
std::string emit_exports(const Registry& registry, const std::string& subject);

// src/driver/nvml/generated/functions.hpp: what the folders of src/driver/nvml/ implement.
std::string emit_functions_header(const Registry& registry);

// src/sim/generated/symbols.hpp: the names of all functions.
std::string emit_symbols(const Registry& registry);

// src/sim/generated/return_codes.hpp, xids.hpp and sxids.hpp: what calls may be told to answer, and what may happen to
// a GPU or an NVSwitch.
std::string emit_return_codes(const Registry& registry);
std::string emit_xids(const Registry& registry);
std::string emit_sxids(const Registry& registry);

// src/sim/generated/architecture_traits.hpp: what a GPU has by its architecture.
std::string emit_architecture_traits(const Registry& registry);

// src/sim/generated/vgpu_types.hpp: which vGPUs a GPU can host.
std::string emit_vgpu_types(const Registry& registry);

// src/driver/nvml/generated/call_arguments.cpp: what the arguments of every function are.
std::string emit_call_arguments(const Registry& registry);

// src/driver/nvml/generated/known_values.hpp: which values an enum argument may have.
std::string emit_known_values(const Registry& registry);

// src/driver/nvml/generated/exports.map: the version script; every symbol and nothing else.
std::string emit_version_script(const Registry& registry);

// src/driver/nvml/generated/field_values.cpp: field id -> model field.
std::string emit_field_values(const Registry& registry);

// src/driver/nvml/generated/gpm_metrics.cpp: GPM metric id -> names and what computes it.
std::string emit_gpm_metrics(const Registry& registry);

// docs/reference/simulated.md: what everything answers on which GPUs.
std::string emit_simulated_reference(const Registry& registry);

// tests/contract/generated/contract_table.cpp: what every function checks.
std::string emit_contract_table(const Registry& registry);

}  // namespace nvmlgen
