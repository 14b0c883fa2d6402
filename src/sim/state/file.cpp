#include "sim/state/file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "sim/events/messages.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"
#include "sim/problem/names.hpp"
#include "sim/state/attention.hpp"
#include "storage/file.hpp"

namespace nvmlkit::sim::state {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

template <class T>
const std::byte* bytes(const T& object) {
  return reinterpret_cast<const std::byte*>(&object);
}

bool well_formed(const Machine& machine) {
  if (!model::well_formed(model::descriptor<model::Machine>(), bytes(machine.host()))) return false;
  return std::all_of(machine.gpus().begin(), machine.gpus().end(), [](const model::Gpu& gpu) {
    return model::well_formed(model::descriptor<model::Gpu>(), bytes(gpu));
  });
}

std::string version_of(const storage::Header& header) {
  return {header.version, strnlen(header.version, sizeof header.version)};
}

// Follows the name of the file.
std::string words_for(const storage::Opened& opened) {
  using storage::Flaw;
  switch (opened.flaw) {
    case Flaw::none:
      return "is whole";
    case Flaw::missing:
      return "there is no such file";
    case Flaw::no_file:
      return "is no file";
    case Flaw::not_opened:
      return "cannot be opened: " + reason(opened.error);
    case Flaw::no_block:
      return "is no state file of nvmlkit";
    case Flaw::other_version:
      return "was made by nvmlkit " + quote(version_of(*opened.header)) + ", this is " NVMLKIT_VERSION;
    case Flaw::other_layout:
      return "was made by another build of nvmlkit " NVMLKIT_VERSION;
    case Flaw::other_length:
      return "has " + std::to_string(opened.file_size) + " bytes where its header says " +
             std::to_string(opened.header->size);
    case Flaw::not_read:
      return "cannot be read";
    case Flaw::not_mapped:
      return "cannot be mapped: " + reason(opened.error);
    case Flaw::damaged:
      break;
  }
  return "is damaged";
}

// A problem of a state file, with what to do about it.
nvmlkit::detail::unexpected<Problem> refuse(const std::string& path, Prose why, Prose advice) {
  auto problem = unusable_file(path, std::move(why));
  problem.hint = std::move(advice);
  return fail(std::move(problem));
}

// For a file of another user. True in a container, too: there its owner cannot be changed, and no variable helps.
std::string advice_of_permissions(const std::string& path) {
  const std::string options = "admit it with --owner, --group or --mode of `nvmlkit root` or `nvmlkit up`";
  const auto here = std::to_string(geteuid()) + ":" + std::to_string(getegid());
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return "the process is user " + here + "; " + options;
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned int>(file.st_mode & 07777));
  return "the file is of user " + std::to_string(file.st_uid) + ":" + std::to_string(file.st_gid) + " with mode " +
         mode + ", the process is user " + here + "; " + options;
}

bool write_machine(void* mapping, const Machine& machine, std::string_view origin) {
  const auto gpus = machine.gpus().size();
  const auto shared = Machine::adopt(mapping, gpus, Access::shared);
  if (!shared || !storage::make_header(shared->header(), file_format(), shape_of(gpus))) return false;
  const auto size = std::min(origin.size(), sizeof(storage::Header::origin) - 1);
  std::memcpy(shared->header().origin, origin.data(), size);
  model::copy(shared->host(), machine.host());
  for (std::size_t i = 0; i < gpus; ++i) model::copy(shared->gpus()[i], machine.gpus()[i]);
  update_attention(*shared);
  events::publish(
      shared->events(), events::kNoGpu,
      {events::kLogged, events::data_of(events::Message::module_loaded, 0), events::kNoInstance, events::kNoInstance});
  return true;
}

}  // namespace

Expected<void> save(const Machine& machine, const std::string& path, std::string_view origin,
                    const Permissions& permissions) {
  storage::NewFile file(path, shape_of(machine.gpus().size()));
  int error = file.error();
  if (error == 0 && !write_machine(file.mapping(), machine, origin)) error = ENOMEM;
  if (error == 0 && !file.permit(permissions))
    return fail(unusable_file(path, "its owner, group or mode cannot be set: " + reason(file.error())));
  if (error == 0 && !file.publish()) error = file.error();
  if (error != 0) return fail(unusable_file(path, "cannot be made: " + reason(error)));
  return {};
}

Expected<void> permit(const std::string& path, const Permissions& permissions) {
  if (const int error = storage::permit(path, permissions); error != 0)
    return fail(unusable_file(path, "its owner, group or mode cannot be set: " + reason(error)));
  return {};
}

Expected<std::unique_ptr<Machine>> attach(const std::string& path, std::string_view advice) {
  auto opened = storage::open_file(path, file_format(), shape_of);
  if (opened.flaw == storage::Flaw::not_opened && (opened.error == EACCES || opened.error == EPERM))
    return refuse(path, words_for(opened), advice_of_permissions(path));
  if (opened.flaw != storage::Flaw::none) return refuse(path, words_for(opened), advice);
  auto machine = Machine::adopt(opened.mapping, opened.header->record_count, opened.access);
  if (!machine) return refuse(path, "out of memory", advice);
  machine->set_life_signs(std::move(opened.life_signs));
  if (!well_formed(*machine)) return refuse(path, "is damaged", advice);
  return machine;
}

bool is_state_file(const std::string& path) { return storage::has_magic(path, private_format()); }

}  // namespace nvmlkit::sim::state
