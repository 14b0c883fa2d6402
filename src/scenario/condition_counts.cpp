// Conditions on how many there are: processes of a GPU, its GPU instances and its MIG devices.
#include <algorithm>
#include <iterator>

#include "scenario/condition.hpp"
#include "sim/mig/profiles.hpp"
#include "sim/processes/clients.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::scenario {
namespace {

using namespace sim;

std::uint32_t count_processes(const Machine& machine, std::size_t place) {
  std::uint32_t out = machine.gpus()[place].processes.count;
  processes::for_each_client(machine, place, [&](const processes::Client&, processes::Life) { ++out; });
  return out;
}

std::uint32_t count_instances(const Machine& machine, std::size_t place) {
  const auto& gpu = machine.gpus()[place];
  return mig::enabled(gpu) ? gpu.mig.instances.count : 0;
}

std::uint32_t count_devices(const Machine& machine, std::size_t place) {
  const auto& gpu = machine.gpus()[place];
  std::uint32_t out = 0;
  if (mig::enabled(gpu))
    for (const auto& instance : gpu.mig.instances) out += instance.compute_instances.count;
  return out;
}

struct Count {
  std::string_view field;
  std::uint32_t (*of)(const Machine&, std::size_t place);
};
constexpr Count kCounts[] = {
    {"processes", count_processes}, {"mig.instances", count_instances}, {"mig.devices", count_devices}};

const Count* find_count(std::string_view field) {
  const auto found =
      std::find_if(std::begin(kCounts), std::end(kCounts), [&](const Count& count) { return count.field == field; });
  return found == std::end(kCounts) ? nullptr : found;
}

}  // namespace

bool is_count(std::string_view field) { return find_count(field) != nullptr; }

std::optional<std::uint32_t> count_of(const Machine& machine, std::size_t place, std::string_view field) {
  const auto* count = find_count(field);
  std::uint32_t out = 0;
  if (!count ||
      !state::consistently(machine, machine.sequence(machine.gpus()[place]), [&] { out = count->of(machine, place); }))
    return {};
  return out;
}

}  // namespace nvmlkit::scenario
