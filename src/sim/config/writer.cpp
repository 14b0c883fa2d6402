#include "sim/config/writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <functional>

#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"

namespace nvmlkit::sim {
namespace {

using model::FieldDescriptor;
using model::Member;
using model::StructDescriptor;
using model::Type;

// Whether a field goes into the part that is being written.
using Choice = std::function<bool(const FieldDescriptor&, const std::byte* structure)>;

const std::byte* bytes(const auto& structure) { return reinterpret_cast<const std::byte*>(&structure); }

Member member(const FieldDescriptor& field, const std::byte* structure) {
  return {field, const_cast<std::byte*>(structure)};  // read only
}

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

template <class T>
std::string number(T value, int base = 10) {
  std::array<char, 40> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, base).ptr;
  return (base == 16 ? "0x" : "") + std::string(text.data(), end);
}

// Whether YAML keeps a character inside double quotes as it is: neither a control character nor a line break of
// Unicode.
bool kept(std::uint32_t c) {
  return (c >= 0x20 && c < 0x7F) || (c >= 0xA0 && c < 0xD800 && c != 0x2028 && c != 0x2029) ||
         (c >= 0xE000 && c <= 0xFFFD && c != 0xFEFF) || (c >= 0x10000 && c <= 0x10FFFF);
}

// Takes one character off UTF-8 text; what is not UTF-8 becomes the replacement character.
std::uint32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t size = byte(0) < 0x80 ? 1 : byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC0 ? 2 : 0;
  if (size == 0 || size > text.size()) {
    text.remove_prefix(1);
    return 0xFFFD;
  }
  std::uint32_t c = size == 1 ? byte(0) : byte(0) & (0x7F >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      text.remove_prefix(1);
      return 0xFFFD;
    }
    c = (c << 6) | (byte(i) & 0x3F);
  }
  text.remove_prefix(size);
  return c;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::string_view before = text;
    const std::uint32_t c = take_character(text);
    if (c == '"' || c == '\\') out += '\\';
    if (kept(c) && c != 0xFFFD) {
      out.append(before.substr(0, before.size() - text.size()));
    } else {
      std::array<char, 12> escape;
      out.append(escape.data(), static_cast<std::size_t>(std::snprintf(escape.data(), escape.size(), "\\U%08X", c)));
    }
  }
  return out + "\"";
}

std::string scalar(const FieldDescriptor& field, const std::byte* at) {
  switch (field.type) {
    case Type::boolean:
      return load<bool>(at) ? "true" : "false";
    case Type::u32:
      return number(load<std::uint32_t>(at));
    case Type::u64:
      return number(load<std::uint64_t>(at));
    case Type::i32:
      return number(load<std::int32_t>(at));
    case Type::i64:
      return number(load<std::int64_t>(at));
    case Type::hex32:
      return number(load<std::uint32_t>(at), 16);
    case Type::hex64:
      return number(load<std::uint64_t>(at), 16);
    case Type::f64: {
      std::array<char, 40> text;
      return {text.data(), std::to_chars(text.data(), text.data() + text.size(), load<double>(at)).ptr};
    }
    case Type::string:
    case Type::uuid:
      return quoted(model::load_text(at, field.capacity));
    case Type::pci_bus_id: {
      char text[24];
      return quoted(model::format_pci_bus_id(load<model::PciBusId>(at), 4, text));
    }
    case Type::enumeration:
      for (const auto& word : field.words())
        if (word.value == load<std::uint32_t>(at)) return quoted(word.word());
      return "N/A";
    case Type::structure:
    case Type::native:
      break;
  }
  return {};
}

class Writer {
 public:
  std::string out;

  void line(int indent, std::string_view key, std::string_view value) {
    out.append(static_cast<std::size_t>(indent), ' ').append(key).append(":");
    if (!value.empty()) out.append(" ").append(value);
    out += '\n';
  }

  // The chosen fields of a struct under `key`; nothing at all when none is chosen.
  void section(int indent, std::string_view key, const StructDescriptor& type, const std::byte* at,
               const Choice& choose) {
    const std::size_t before = out.size();
    line(indent, key, "");
    const std::size_t opened = out.size();
    fields(indent + 2, type, at, choose);
    if (out.size() == opened) out.resize(before);
  }

  void fields(int indent, const StructDescriptor& type, const std::byte* at, const Choice& choose) {
    for (const auto& field : type.fields())
      if (!field.reader) entry(indent, field, at, choose);
  }

  // One field of the struct at `at`.
  void entry(int indent, const FieldDescriptor& field, const std::byte* at, const Choice& choose) {
    const Member m = member(field, at);
    if (field.type == Type::structure && !field.list)
      section(indent, field.name(), field.nested(), m.data(), choose);
    else if (choose(field, at))
      field.list ? list(indent, field, m) : value(indent, field, m);
  }

 private:
  void value(int indent, const FieldDescriptor& field, const Member& m) {
    if (m.present())
      line(indent, field.name(), scalar(field, m.data()));
    else if (field.has_default || m.stated())
      line(indent, field.name(), "N/A");
  }

  void list(int indent, const FieldDescriptor& field, const Member& m) {
    const auto count = std::min(m.count(), field.max_items);
    if (field.type == Type::structure && count > 0) {
      line(indent, field.name(), "");
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::size_t at = out.size();
        fields(indent + 4, field.nested(), m.item(i), [](const auto&, const auto*) { return true; });
        if (out.size() == at) out.append(static_cast<std::size_t>(indent) + 4, ' ').append("{}\n");
        out[at + static_cast<std::size_t>(indent) + 2] = '-';
      }
      return;
    }
    std::string items = "[";
    for (std::uint32_t i = 0; i < count; ++i) items += (i > 0 ? ", " : "") + scalar(field, m.item(i));
    line(indent, field.name(), items + "]");
  }
};

// What identifies a GPU is written for each one, even where all agree: the reader would count a common serial on.
bool identifies(const FieldDescriptor& field) {
  const auto name = field.name();
  return name == "uuid" || name == "serial" || name == "minor_number" || name == "irq_num" || name == "bus_id" ||
         name == "board_id" || name == "pdi" || name == "checksum";
}

// The fields of every GPU that are the same in all, by a walk over all GPUs in step.
class Common {
 public:
  explicit Common(std::span<const model::Gpu> gpus) : gpus_(gpus) {}

  // `structure` lies somewhere inside a GPU.
  bool operator()(const FieldDescriptor& field, const std::byte* structure) const {
    if (gpus_.empty() || identifies(field)) return false;
    const auto offset = (structure - bytes(gpus_[0])) % static_cast<std::ptrdiff_t>(sizeof(model::Gpu));
    const std::byte* first = bytes(gpus_[0]) + offset;
    for (const auto& gpu : gpus_) {
      const std::byte* other = bytes(gpu) + offset;
      if (!model::equal(field, first, other)) return false;
      if (!field.list && member(field, first).stated() != member(field, other).stated() &&
          !member(field, first).present())
        return false;
    }
    return true;
  }

 private:
  std::span<const model::Gpu> gpus_;
};

}  // namespace

std::string write_machine(const Machine& machine) {
  Writer writer;
  const Choice all = [](const FieldDescriptor&, const std::byte*) { return true; };
  const auto gpus = machine.gpus();
  writer.line(0, "version", "\"1.0\"");
  const auto& host = model::descriptor<model::Machine>();
  for (const auto& field : host.fields()) {
    if (field.reader) continue;
    writer.entry(0, field, bytes(machine.host()), all);
    if (field.name() != "system") continue;
    writer.line(2, "num_devices", number(gpus.size()));
  }
  if (gpus.empty()) return writer.out;
  const Common common(gpus);
  const auto& type = model::descriptor<model::Gpu>();
  writer.section(0, "device_defaults", type, bytes(gpus[0]), common);
  writer.line(0, "devices", "");
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    writer.out += "  - index: " + number(i) + "\n";
    writer.fields(4, type, bytes(gpus[i]),
                  [&](const FieldDescriptor& field, const std::byte* at) { return !common(field, at); });
  }
  return writer.out;
}

}  // namespace nvmlkit::sim
