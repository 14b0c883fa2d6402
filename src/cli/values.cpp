#include "cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/selector.hpp"
#include "sim/config/check.hpp"
#include "sim/config/document.hpp"
#include "sim/config/reader.hpp"
#include "sim/config/suggest.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/pci_bus_id.hpp"
#include "sim/model/value.hpp"
#include "sim/state/read.hpp"
#include "sim/state/write.hpp"

namespace nvmlkit::cli {
namespace {

using sim::Machine;
using sim::config::hint;
using sim::config::quote;
using sim::model::FieldDescriptor;
using sim::model::Gpu;
using sim::model::Member;
using sim::model::StructDescriptor;
using sim::model::Type;
using Json = nlohmann::ordered_json;

constexpr int kUsage = 2;

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

Json json_of(const StructDescriptor& type, std::byte* structure);

Json json_of_value(const FieldDescriptor& field, std::byte* at) {
  switch (field.type) {
    case Type::boolean:
      return load<bool>(at);
    case Type::u32:
    case Type::hex32:
      return load<std::uint32_t>(at);
    case Type::u64:
    case Type::hex64:
      return load<std::uint64_t>(at);
    case Type::i32:
      return load<std::int32_t>(at);
    case Type::i64:
      return load<std::int64_t>(at);
    case Type::f64:
      return load<double>(at);
    case Type::string:
    case Type::uuid:
      return std::string(sim::model::load_text(at, field.capacity));
    case Type::pci_bus_id: {
      char buffer[24];
      return std::string(sim::model::format_pci_bus_id(load<sim::model::PciBusId>(at), 8, buffer));
    }
    case Type::enumeration: {
      const auto value = load<std::uint32_t>(at);
      for (const auto& word : field.words())
        if (word.value == value) return std::string(word.word());
      return value;
    }
    case Type::structure:
      return json_of(field.nested(), at);
    case Type::native:
      break;
  }
  return nullptr;
}

Json json_of(const FieldDescriptor& field, std::byte* structure) {
  const Member member(field, structure);
  if (field.list) {
    auto out = Json::array();
    for (std::uint32_t i = 0; i < std::min(member.count(), field.max_items); ++i)
      out.push_back(json_of_value(field, member.item(i)));
    return out;
  }
  if (field.type != Type::structure && !member.present()) return nullptr;
  return json_of_value(field, member.data());
}

Json json_of(const StructDescriptor& type, std::byte* structure) {
  auto out = Json::object();
  for (const auto& field : type.fields())
    if (!field.reader) out[std::string(field.name())] = json_of(field, structure);
  return out;
}

std::vector<std::string> segments(const std::string& path) {
  std::vector<std::string> out(1);
  for (const char c : path) {
    if (c == '.')
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

// The value at a path of a GPU.
Json at_path(Gpu& gpu, const std::string& path) {
  const auto* type = &sim::model::descriptor<Gpu>();
  auto* structure = reinterpret_cast<std::byte*>(&gpu);
  if (path.empty()) return json_of(*type, structure);
  const auto names = segments(path);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* field = type->find(names[i]);
    if (field == nullptr || field->reader) {
      std::vector<std::string_view> known;
      for (const auto& f : type->fields())
        if (!f.reader) known.push_back(f.name());
      throw Refused(fmt::format("unknown name {} in {}{}", quote(names[i]), quote(path), hint(names[i], known)));
    }
    if (i + 1 == names.size()) return json_of(*field, structure);
    if (field->list || field->type != Type::structure)
      throw Refused(fmt::format("{} has no parts, so there is no {}", quote(names[i]), quote(path)));
    structure = Member(*field, structure).data();
    type = &field->nested();
  }
  return nullptr;
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "N/A";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void print(const std::string& prefix, const std::string& path, const Json& value) {
  if (!value.is_object()) {
    fmt::print("{}{}={}\n", prefix, path, text_of(value));
    return;
  }
  for (const auto& [name, part] : value.items()) print(prefix, path.empty() ? name : path + "." + name, part);
}

std::unique_ptr<Gpu> snapshot(const Machine& machine, std::size_t index) {
  auto copy = std::make_unique<Gpu>();
  const auto& gpu = machine.gpus()[index];
  if (!sim::state::consistently(machine, machine.sequence(gpu),
                                [&] { std::memcpy(static_cast<void*>(copy.get()), &gpu, sizeof gpu); }))
    throw Refused("a writer of the machine is stopped");
  return copy;
}

// PATH=VALUE as the lines of a machine file.
std::string lines_of(const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) throw Refused("expected PATH=VALUE, got " + quote(assignment));
  const std::string path = assignment.substr(0, equals), value = assignment.substr(equals + 1);
  const auto strange = [](char c) {
    return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.');
  };
  if (std::any_of(path.begin(), path.end(), strange) || path.find("..") != std::string::npos || path.ends_with('.'))
    throw Refused("expected a path such as power.limit_mw, got " + quote(path));
  if (value.empty() || value.find('\n') != std::string::npos) throw Refused("expected a value in " + quote(assignment));
  std::string out, indent;
  for (const auto& name : segments(path)) {
    out += out.empty() ? "" : "\n";
    out += indent + name + ":";
    indent += "  ";
  }
  return out + " " + value + "\n";
}

void assign(Gpu& gpu, const std::string& assignment) {
  try {
    const auto document = sim::config::Document::parse("command", lines_of(assignment));
    sim::config::apply(document.root(), sim::model::descriptor<Gpu>(), reinterpret_cast<std::byte*>(&gpu), {}, false);
  } catch (const sim::ConfigFailure& failure) {
    throw Refused(failure.error.message);
  }
}

// What the driver itself keeps in step.
void settle(Gpu& gpu, const std::vector<std::string>& assignments) {
  const auto sets = [&](std::string_view path) {
    return std::any_of(assignments.begin(), assignments.end(), [&](const auto& a) { return a.starts_with(path); });
  };
  auto& power = gpu.power;
  if (sets("power.limit_mw=") && !sets("power.enforced_limit_mw=") && power.limit_mw)
    power.enforced_limit_mw = std::min(*power.limit_mw, power.other_limit_mw.value_or(*power.limit_mw));
}

// Each GPU is found by these.
void check_identity(const Machine& machine, std::size_t index, const Gpu& wanted) {
  if (!wanted.uuid || !wanted.pci.bus_id) throw Refused("a GPU needs its uuid and pci.bus_id");
  for (std::size_t i = 0; i < machine.gpus().size(); ++i) {
    const auto& other = machine.gpus()[i];
    if (i != index && (other.uuid == wanted.uuid || other.pci.bus_id == wanted.pci.bus_id))
      throw Refused(fmt::format("GPU {} would have the uuid or the pci.bus_id of GPU {}", index, i));
  }
}

void set(const std::string& state, const std::string& selector, const std::vector<std::string>& assignments) {
  const auto machine = machine_of(state);
  const auto selected = select(*machine, selector);
  const sim::state::Lock lock(*machine);
  if (lock.refusal() == sim::state::Refusal::read_only) throw Refused("the state file may only be read");
  if (!lock) throw Refused("a writer of the machine is stopped");
  std::vector<std::unique_ptr<sim::state::Edit>> edits;
  for (const auto index : selected) {
    auto edit = std::make_unique<sim::state::Edit>(lock, index);
    if (!*edit) throw std::bad_alloc();
    for (const auto& assignment : assignments) assign(**edit, assignment);
    settle(**edit, assignments);
    if (const auto problem = sim::config::contradiction(**edit); !problem.empty())
      throw Refused(fmt::format("GPU {}: {}", index, problem));
    check_identity(*machine, index, **edit);
    edits.push_back(std::move(edit));
  }
  const auto& first = **edits.front();
  if (edits.size() > 1 && ((*edits.back())->uuid == first.uuid || (*edits.back())->pci.bus_id == first.pci.bus_id))
    throw Refused("several GPUs cannot have one uuid or one pci.bus_id");
  for (auto& edit : edits) edit->commit();
}

void get(const std::string& state, const std::string& selector, const std::string& path, bool as_json) {
  const auto machine = machine_of(state);
  const auto selected = select(*machine, selector);
  auto all = Json::array();
  for (const auto index : selected) {
    const auto value = at_path(*snapshot(*machine, index), path);
    if (as_json)
      all.push_back({{"gpu", index}, {"value", value}});
    else if (selected.size() == 1 && !value.is_object())
      fmt::print("{}\n", text_of(value));
    else
      print(selected.size() > 1 ? fmt::format("gpu={} ", index) : "", path, value);
  }
  if (as_json) fmt::print("{}\n", all.dump(2));
}

template <class Work>
int guarded(Work work) {
  try {
    work();
    return 0;
  } catch (const Refused& refused) {
    fmt::print(stderr, "nvmlkit: {}\n", refused.what());
    return kUsage;
  }
}

}  // namespace

int get_values(const std::string& state, const std::string& selector, const std::string& path, bool as_json) {
  return guarded([&] { get(state, selector, path, as_json); });
}

int set_values(const std::string& state, const std::string& selector, const std::vector<std::string>& assignments) {
  return guarded([&] { set(state, selector, assignments); });
}

}  // namespace nvmlkit::cli
