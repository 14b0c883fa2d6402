#include "sim/state/file.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>

#include "sim/config/suggest.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"
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
std::string text_of(const storage::Opened& opened) {
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
      return "was made by nvmlkit " + config::quote(version_of(*opened.header)) + ", this is " NVMLKIT_VERSION;
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

std::string refuse(const std::string& path, const std::string& why) {
  return path + ": " + why + "; make it with `nvmlkit up`, or unset NVMLKIT_STATE";
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
  return true;
}

}  // namespace

bool save(const Machine& machine, const std::string& path, std::string_view origin, std::string& error) {
  storage::NewFile file(path, shape_of(machine.gpus().size()));
  int problem = file.error();
  if (problem == 0 && !write_machine(file.mapping(), machine, origin)) problem = ENOMEM;
  if (problem == 0 && !file.publish()) problem = file.error();
  if (problem != 0) error = path + ": cannot be made: " + reason(problem);
  return problem == 0;
}

std::unique_ptr<Machine> attach(const std::string& path, std::string& error) {
  const auto fail = [&](const std::string& why) {
    error = refuse(path, why);
    return nullptr;
  };
  const auto opened = storage::open_file(path, file_format(), shape_of);
  if (opened.flaw != storage::Flaw::none) return fail(text_of(opened));
  auto machine = Machine::adopt(opened.mapping, opened.header->record_count, opened.access);
  if (!machine) return fail("out of memory");
  if (!well_formed(*machine)) return fail("is damaged");
  return machine;
}

bool is_state_file(const std::string& path) { return storage::has_magic(path, private_format()); }

}  // namespace nvmlkit::sim::state
