// The bindings as a C++20 module: `import nvmlkit.nvml;` brings every name that <nvmlkit/nvml.hpp> declares, and no macro.
// docs/using.md says how to build it.
module;

#include <nvmlkit/nvml.hpp>

export module nvmlkit.nvml;

#include "generated/module_exports.inc"

export namespace nvmlkit::abi {
using abi::to_string;
}

export namespace nvmlkit::nvml::unit {
using unit::Bit;
using unit::Byte;
using unit::DegreeCelsius;
using unit::FramePerSecond;
using unit::Kibibyte;
using unit::KilobytePerSecond;
using unit::Mebibyte;
using unit::MegabytePerSecond;
using unit::Megahertz;
using unit::Millijoule;
using unit::Millivolt;
using unit::Milliwatt;
using unit::Percent;
using unit::RevolutionPerMinute;
}  // namespace nvmlkit::nvml::unit

export namespace nvmlkit::nvml {

// <nvmlkit/device.hpp>
using nvml::Device;
using nvml::DeviceRange;
using nvml::Sample;

// <nvmlkit/diagnostics.hpp>
using nvml::CperCursor;
using nvml::ExcludedDevice;
using nvml::PrmAnswer;
using nvml::PrmCounter;
using nvml::PrmCounterQuery;

// <nvmlkit/energy_meter.hpp>
using nvml::EnergyMeter;
using nvml::EnergyReading;
using nvml::EnergyScope;
using nvml::EnergySource;

// <nvmlkit/errata.hpp>
using nvml::ActiveErratum;

// <nvmlkit/error.hpp>
using nvml::Error;
using nvml::Failure;
using nvml::make_error_code;
using nvml::name_of;
using nvml::nvml_category;
using nvml::raise;

// <nvmlkit/events.hpp>
using nvml::Event;
using nvml::EventSet;

// <nvmlkit/field_values.hpp>
using nvml::FieldNumber;
using nvml::FieldQuery;
using nvml::FieldValue;
using nvml::as_double;
using nvml::raw_field_id;

// <nvmlkit/gpm.hpp>
using nvml::GpmMetric;
using nvml::GpmSample;
using nvml::GpmSession;
using nvml::gpm_metrics;

// <nvmlkit/handle.hpp>
using nvml::Object;

// <nvmlkit/library.hpp>
using nvml::InitFlags;
using nvml::Library;
using nvml::OpenOptions;
using nvml::gpu_uuid;
using nvml::operator|;

// <nvmlkit/loader.hpp>
using nvml::LoadOptions;
using nvml::LoadedLibrary;
using nvml::library_candidates;
using nvml::load;
using nvml::unload;

// <nvmlkit/mask.hpp>
using nvml::Mask;

// <nvmlkit/mig_device.hpp>
using nvml::MigDevice;

// <nvmlkit/objects.hpp>
using nvml::ComputeInstance;
using nvml::GpuInstance;
using nvml::Unit;
using nvml::VgpuInstance;
using nvml::VgpuType;

// <nvmlkit/process_list.hpp>
using nvml::Process;
using nvml::ProcessList;
using nvml::ProcessListOptions;
using nvml::ProcessProblem;
using nvml::ProcessUse;
using nvml::ProcessUtilization;
using nvml::list_processes;

// <nvmlkit/ranges.hpp>
using nvml::Fan;
using nvml::FanRange;
using nvml::NvLink;
using nvml::NvLinkRange;
using nvml::PartRange;
using nvml::UnitRange;

// <nvmlkit/reflect.hpp>
using nvml::Reflected;

// <nvmlkit/result.hpp>
using nvml::Provenance;
using nvml::Result;
using nvml::optional_if_unsupported;

// <nvmlkit/runtime_status.hpp>
using nvml::RuntimeStatus;
using nvml::runtime_status;

// <nvmlkit/sampler.hpp>
using nvml::Metric;
using nvml::Reading;
using nvml::SampleValue;
using nvml::Sampler;
using nvml::metric_unit;

// <nvmlkit/strings.hpp>
using nvml::EnumTable;
using nvml::NamedEnum;
using nvml::NamedNumber;
using nvml::enum_number;
using nvml::enum_text;
using nvml::from_string;
using nvml::mask_text;

// <nvmlkit/system_events.hpp>
using nvml::SystemEvent;
using nvml::SystemEventSet;

// <nvmlkit/table.hpp>
using nvml::Symbol;
using nvml::fill;
using nvml::find_symbol;
using nvml::symbol_index;
using nvml::symbol_of;
using nvml::symbols;

// <nvmlkit/text.hpp>, and overloads in other headers
using nvml::to_string;

// <nvmlkit/units.hpp>
using nvml::Bits;
using nvml::Bytes;
using nvml::Celsius;
using nvml::FramesPerSecond;
using nvml::Kibibytes;
using nvml::KilobytesPerSecond;
using nvml::Mebibytes;
using nvml::MegabytesPerSecond;
using nvml::Megahertz;
using nvml::Millijoules;
using nvml::Millivolts;
using nvml::Milliwatts;
using nvml::Percent;
using nvml::Quantity;
using nvml::RevolutionsPerMinute;

// <nvmlkit/vgpu.hpp>
using nvml::VgpuSchedulerSettings;
using nvml::VgpuUtilization;

// <nvmlkit/vgpu_migration.hpp>
using nvml::PgpuMetadata;
using nvml::VgpuCompatibility;
using nvml::VgpuMetadata;
using nvml::VgpuVersions;

}  // namespace nvmlkit::nvml
