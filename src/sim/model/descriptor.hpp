// The model as data, for the reader, the writer and tools. The tables are generated. They contain offsets in place of
// pointers, so that loading the library needs no relocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace nvmlkit::sim::model {

enum class Type : std::uint8_t {
  boolean,
  u32,
  u64,
  i32,
  i64,
  f64,
  string,
  uuid,
  pci_bus_id,
  hex32,
  hex64,
  enumeration,
  structure,
  native  // live state: a C++ struct that the descriptors do not look into
};

// Whether a function shows the field: now, with a later part of the simulation, or never.
enum class Visibility : std::uint8_t { shown, later, inert };

// What a field says about which GPU, or which machine, it is.
enum class Identity : std::uint8_t {
  none,
  basis,  // other values follow from it, such as the name and the architecture
  own,    // of one GPU: written for each GPU, even if all agree
  key     // the same, and GPUs are found by it: the UUID, the serial number, the PCI address
};

struct FieldDescriptor;
struct StructDescriptor;
struct Word;

namespace detail {

struct TextRef {
  std::uint32_t at;
  std::uint32_t size;
};

extern const char text_pool[];
extern const FieldDescriptor field_table[];
extern const StructDescriptor struct_table[];
extern const Word word_table[];

inline std::string_view text(TextRef ref) { return {text_pool + ref.at, ref.size}; }

}  // namespace detail

// A word of an enum with the NVML constant that it stands for, or an allowed text (value unused).
struct Word {
  detail::TextRef word_text;
  std::uint32_t value;

  std::string_view word() const { return detail::text(word_text); }
};

struct FieldDescriptor {
  detail::TextRef name_text, unit_text, doc_text, note_text, default_text;
  Type type;  // of the value, or of a list's items
  Visibility visibility;
  Identity identity;
  bool list;
  bool required;
  bool quoted;  // numbers may stand in quotes
  bool reader;  // no key of a struct like others: the reader's own business without a member, or native
  bool ranged;
  bool has_default;
  std::uint32_t offset;          // of the member
  std::uint32_t present_offset;  // from the member to Field::present; Field::stated follows
  std::uint32_t items_offset;    // from the member to List::items
  std::uint32_t value_size;      // of a value; of lists the distance between items
  std::uint32_t max_items;
  std::uint32_t capacity;   // of texts: bytes with the terminating NUL
  std::uint32_t structure;  // index of the struct of structures
  std::uint32_t first_word, word_count;
  std::int64_t min, max;       // when ranged
  std::int64_t default_value;  // of numbers, bools and enums

  std::string_view name() const { return detail::text(name_text); }
  std::string_view unit() const { return detail::text(unit_text); }
  std::string_view doc() const { return detail::text(doc_text); }
  std::string_view note() const { return detail::text(note_text); }
  std::string_view default_word() const { return detail::text(default_text); }
  std::span<const Word> words() const { return {detail::word_table + first_word, word_count}; }
  bool scalar() const { return !list && type != Type::structure; }
  // May it stand in a mapping of a machine file? `reader_fields`: where the reader's own fields stand too.
  bool key(bool reader_fields) const { return type != Type::native && (!reader || reader_fields); }
  bool identifies() const { return identity == Identity::own || identity == Identity::key; }
  bool text() const { return type == Type::string || type == Type::uuid; }
  inline const StructDescriptor& nested() const;
};

struct StructDescriptor {
  detail::TextRef name_text, doc_text;
  std::uint32_t first_field, field_count;
  std::uint32_t size;
  bool has_list;  // somewhere inside

  std::string_view name() const { return detail::text(name_text); }
  std::string_view doc() const { return detail::text(doc_text); }
  std::span<const FieldDescriptor> fields() const { return {detail::field_table + first_field, field_count}; }
  const FieldDescriptor* find(std::string_view name) const {
    for (const auto& field : fields())
      if (field.name() == name) return &field;
    return nullptr;
  }
};

// Of a struct of the model; see generated/model_descriptors.hpp.
template <class T>
const StructDescriptor& descriptor();

inline const StructDescriptor& FieldDescriptor::nested() const { return detail::struct_table[structure]; }

}  // namespace nvmlkit::sim::model
