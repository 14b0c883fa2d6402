// All headers of the bindings.
#pragma once

#include <nvmlkit/device.hpp>
#include <nvmlkit/diagnostics.hpp>
#include <nvmlkit/energy_meter.hpp>
#include <nvmlkit/errata.hpp>
#include <nvmlkit/error.hpp>
#include <nvmlkit/events.hpp>
#include <nvmlkit/field_values.hpp>
#include <nvmlkit/generated/abi.hpp>
#include <nvmlkit/gpm.hpp>
#include <nvmlkit/library.hpp>
#include <nvmlkit/loader.hpp>
#include <nvmlkit/mig_device.hpp>
#include <nvmlkit/objects.hpp>
#include <nvmlkit/process_list.hpp>
#include <nvmlkit/ranges.hpp>
#include <nvmlkit/result.hpp>
#include <nvmlkit/runtime_status.hpp>
#include <nvmlkit/sampler.hpp>
#include <nvmlkit/system_events.hpp>
#include <nvmlkit/table.hpp>
#include <nvmlkit/text.hpp>
#include <nvmlkit/units.hpp>
#include <nvmlkit/vgpu.hpp>
#include <nvmlkit/vgpu_migration.hpp>
