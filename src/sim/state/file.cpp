#include "sim/state/file.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>

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
nvmlkit::detail::unexpected<Problem> refuse(const std::string& path, Prose why) {
  auto problem = unusable_file(path, std::move(why));
  problem.hint = "make it with `nvmlkit up`, or unset NVMLKIT_STATE";
  return fail(std::move(problem));
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

Expected<void> save(const Machine& machine, const std::string& path, std::string_view origin) {
  storage::NewFile file(path, shape_of(machine.gpus().size()));
  int error = file.error();
  if (error == 0 && !write_machine(file.mapping(), machine, origin)) error = ENOMEM;
  if (error == 0 && !file.publish()) error = file.error();
  if (error != 0) return fail(unusable_file(path, "cannot be made: " + reason(error)));
  return {};
}

Expected<std::unique_ptr<Machine>> attach(const std::string& path) {
  const auto opened = storage::open_file(path, file_format(), shape_of);
  if (opened.flaw != storage::Flaw::none) return refuse(path, words_for(opened));
  auto machine = Machine::adopt(opened.mapping, opened.header->record_count, opened.access);
  if (!machine) return refuse(path, "out of memory");
  if (!well_formed(*machine)) return refuse(path, "is damaged");
  return machine;
}

bool is_state_file(const std::string& path) { return storage::has_magic(path, private_format()); }

}  // namespace nvmlkit::sim::state
