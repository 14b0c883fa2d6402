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
using unit::Alike;
using unit::Bit;
using unit::Byte;
using unit::Commensurable;
using unit::DegreeCelsius;
using unit::Energy;
using unit::Exact;
using unit::Factor;
using unit::FramePerSecond;
using unit::FrameRate;
using unit::Frequency;
using unit::Gibibyte;
using unit::GigabytePerSecond;
using unit::Gigahertz;
using unit::Information;
using unit::Joule;
using unit::Kibibyte;
using unit::KilobytePerSecond;
using unit::Kilowatt;
using unit::KilowattHour;
using unit::Mebibyte;
using unit::MegabytePerSecond;
using unit::Megahertz;
using unit::Millijoule;
using unit::Millivolt;
using unit::Milliwatt;
using unit::Mixed;
using unit::Percent;
using unit::Power;
using unit::RevolutionPerMinute;
using unit::Rotation;
using unit::Share;
using unit::Temperature;
using unit::Throughput;
using unit::Volt;
using unit::Voltage;
using unit::Watt;
using unit::WattHour;
}  // namespace nvmlkit::nvml::unit

export namespace nvmlkit::nvml {

// <nvmlkit/device.hpp>
using nvml::Device;
using nvml::DeviceRange;
using nvml::MigActivation;
using nvml::Sample;

// <nvmlkit/diagnostics.hpp>
using nvml::CperCursor;
using nvml::ExcludedDevice;
using nvml::MemoryLimits;
using nvml::NvlinkTelemetry;
using nvml::NvlinkTelemetryQuery;
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
using nvml::EventContext;
using nvml::EventRecord;
using nvml::EventSet;
using nvml::OperationalEvent;

// <nvmlkit/field_values.hpp>
using nvml::FieldNumber;
using nvml::FieldQuery;
using nvml::FieldValue;
using nvml::as_double;
using nvml::raw_field_id;

// <nvmlkit/flags.hpp>
using nvml::Flag;
using nvml::Flags;
using nvml::is_flag;
using nvml::operator|;

// <nvmlkit/gpm.hpp>
using nvml::GpmMetric;
using nvml::GpmSample;
using nvml::GpmSession;
using nvml::gpm_metrics;

// <nvmlkit/handle.hpp>
using nvml::Object;

// <nvmlkit/library.hpp>
using nvml::Library;
using nvml::OpenOptions;
using nvml::gpu_uuid;

// <nvmlkit/loader.hpp>
using nvml::LoadOptions;
using nvml::LoadedLibrary;
using nvml::library_candidates;
using nvml::load;
using nvml::unload;


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

// <nvmlkit/session.hpp>
using nvml::Held;
using nvml::HeldDevice;
using nvml::Session;
using nvml::SessionPtr;

// <nvmlkit/strings.hpp>
using nvml::EnumTable;
using nvml::NamedEnum;
using nvml::NamedNumber;
using nvml::enum_number;
using nvml::enum_text;
using nvml::from_string;
using nvml::to_abi;
using nvml::enum_table;
using nvml::flags_text;

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
using nvml::FinerQuantity;
using nvml::FramesPerSecond;
using nvml::Gibibytes;
using nvml::GigabytesPerSecond;
using nvml::Gigahertz;
using nvml::Joules;
using nvml::Kibibytes;
using nvml::KilobytesPerSecond;
using nvml::KilowattHours;
using nvml::Kilowatts;
using nvml::Mebibytes;
using nvml::MegabytesPerSecond;
using nvml::Megahertz;
using nvml::Millijoules;
using nvml::Millivolts;
using nvml::Milliwatts;
using nvml::Percent;
using nvml::Quantity;
using nvml::RevolutionsPerMinute;
using nvml::Volts;
using nvml::WattHours;
using nvml::Watts;
using nvml::operator+;
using nvml::operator-;
using nvml::operator/;
using nvml::operator==;
using nvml::operator<=>;
using nvml::operator<<;

// <nvmlkit/vgpu.hpp>
using nvml::VgpuSchedulerSettings;
using nvml::VgpuUtilization;

// <nvmlkit/vgpu_migration.hpp>
using nvml::PgpuMetadata;
using nvml::VgpuCompatibility;
using nvml::VgpuMetadata;
using nvml::VgpuVersions;

}  // namespace nvmlkit::nvml
