#include <iterator>

#include "garbage_driver.hpp"

namespace nvmlkit::nvml::test {
namespace {

struct Sum {
  std::uint64_t total = 0;
  void add(const std::string& text) {
    for (const char c : text) total = total * 31 + static_cast<unsigned char>(c);
  }
  void add(const FieldNumber& number) { total += number.index(); }
  void add(std::span<const std::byte> data) {
    for (const std::byte b : data) total = total * 31 + std::to_integer<unsigned>(b);
  }
  template <class T>
  bool add(const Result<T>& result) {
    if (!result) add(result.error().message());
    total += result ? 1 : 2;
    return result.has_value();
  }
};

void read_device(const Device& device, Sum& sum) {
  const FieldQuery queries[] = {{FieldId::dev_ecc_current},
                                {FieldId::pwr_smoothing_enabled, 3},
                                {FieldId::dev_clocks_event_reason_sw_therm_slowdown},
                                {raw_field_id(7)},
                                {static_cast<FieldId>(9)}};
  if (const auto values = device.field_values(queries); sum.add(values))
    for (const auto& value : *values)
      if (sum.add(value.value)) sum.add(*value.value);
  if (const auto done = device.clear_field_values(queries); sum.add(done)) sum.total += done->size();
  if (const auto list = device.compute_running_processes(); sum.add(list))
    for (const auto& process : *list) sum.total += process.pid;
  if (const auto list = device.samples(SamplingType::total_power); sum.add(list))
    for (const auto& sample : *list) sum.add(sample.value);
  if (const auto list = device.vgpu_utilization(); sum.add(list))
    for (const auto& entry : *list) sum.add(entry.decoder);
  if (const auto list = device.mig_devices(); sum.add(list)) sum.total += list->size();
  const PrmCounterQuery counters[] = {{PrmCounterId::pprm_oper_recovery, 1}, {}};
  if (const auto list = device.prm_counters(counters); sum.add(list))
    for (const auto& counter : *list)
      if (sum.add(counter.value)) sum.add(*counter.value);
  const std::byte request[3] = {};
  if (const auto answer = device.read_write_prm(request); sum.add(answer)) sum.add(answer->data);

  auto session = GpmSession::start(device);
  if (!sum.add(session)) return;
  std::vector<GpmMetricId> ids;
  for (unsigned int i = 0; i < bytes.byte() + 1U; ++i) ids.push_back(static_cast<GpmMetricId>(i));
  if (const auto metrics = session->read(ids); sum.add(metrics))
    for (const auto& metric : *metrics) {
      sum.add(metric.value);
      sum.add(metric.short_name + metric.long_name + metric.unit);
    }
}

void read_vgpu(const Library& library, const Device& device, Sum& sum) {
  const VgpuInstance instance(library.session(), 7);
  if (const auto id = instance.vm_id(); sum.add(id)) sum.add(id->id);
  const auto vgpu = instance.metadata();
  if (sum.add(vgpu)) {
    sum.add(vgpu->guest_driver_version() + vgpu->host_driver_version());
    sum.add(vgpu->opaque_data());
  }
  const auto pgpu = device.vgpu_metadata();
  if (sum.add(pgpu)) {
    sum.add(pgpu->host_driver_version());
    sum.add(pgpu->opaque_data());
  }
  if (vgpu && pgpu) sum.add(library.vgpu_compatibility(*vgpu, *pgpu));
  // Metadata also comes from other hosts.
  const auto rest = std::as_bytes(bytes.left.first(std::min<std::size_t>(bytes.left.size(), 400)));
  if (const auto foreign = VgpuMetadata::from_bytes(rest); sum.add(foreign)) sum.add(foreign->opaque_data());
  if (const auto foreign = PgpuMetadata::from_bytes(rest); sum.add(foreign)) sum.add(foreign->opaque_data());
}

}  // namespace

std::uint64_t read_everything(std::span<const std::uint8_t> stream) {
  Sum sum;
  const Library library = Library::from_table(garbage_table(stream)).value();
  const Device device(library.session(), device_handle(0));
  read_device(device, sum);
  read_vgpu(library, device, sum);
  if (const auto errata = library.active_errata(); sum.add(errata))
    for (const auto& erratum : *errata) sum.add(erratum.why);
  if (const auto branch = library.driver_branch(); sum.add(branch)) sum.add(*branch);
  if (const auto list = library.excluded_devices(); sum.add(list))
    for (const auto& excluded : *list)
      if (sum.add(excluded)) sum.add(excluded->bus_id + excluded->uuid);
  CperCursor cursor(library);
  for (int i = 0; i < 3; ++i)
    if (const auto records = cursor.next(); sum.add(records) && *records) sum.add(**records);
  sum.add(cursor.gpu_uuid());
  if (auto events = SystemEventSet::create(library); sum.add(events))
    if (const auto list = events->wait(std::chrono::milliseconds(0)); sum.add(list)) sum.total += list->size();
  return sum.total;
}

}  // namespace nvmlkit::nvml::test
