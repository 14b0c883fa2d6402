#include "sim/processes/watch.hpp"

#include "sim/processes/life.hpp"

namespace nvmlkit::sim::processes {
namespace {

std::uint64_t byte_of(const Machine& machine, const Client& place) {
  return static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&place) - machine.block().bytes());
}

}  // namespace

bool is_of_namespace(const Client& client, std::uint64_t own) {
  return client.pid_namespace == 0 || own == 0 || client.pid_namespace == own;
}

bool Watch::is_here(const Client& client) {
  if (!namespace_) namespace_ = own_pid_namespace();
  return is_of_namespace(client, *namespace_);
}

Life Watch::look(const Client& client) {
  pid_ = client.pid;
  if (client.simulated != 0) return Life::runs;
  if (!is_here(client)) return look_elsewhere(client);
  const auto since = running_since(client.pid);
  if (!since) return Life::ended;
  return client.start != 0 && *since != 0 && client.start != *since ? Life::ended : Life::runs;
}

Life Watch::look_elsewhere(const Client& client) {
  const auto* const signs = machine_.block().life_signs();
  if (client.signs_life != 0 && signs && signs->is_given(byte_of(machine_, client)) == false) return Life::ended;
  if (const auto here = descendants_.find({client.pid_namespace, client.pid, client.start})) {
    pid_ = *here;
    return Life::runs;
  }
  return sees_every_process() ? Life::ended : Life::elsewhere;
}

bool give_sign(const Machine& machine, const Client& place) {
  auto* const signs = machine.block().life_signs();
  return signs && signs->give(byte_of(machine, place));
}

void release_sign(const Machine& machine, const Client& place) {
  if (auto* const signs = machine.block().life_signs()) signs->release(byte_of(machine, place));
}

}  // namespace nvmlkit::sim::processes
