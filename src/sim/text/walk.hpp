// The walk over a struct of the model, for every code that writes one: machine files, JSON.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/model/descriptor.hpp"
#include "sim/model/value.hpp"

namespace nvmlkit::sim::text {

enum class Form : std::uint8_t { absent, scalar, list, structure };

// A field of a struct, or an item of a list, without its static type.
struct Part {
  const model::FieldDescriptor* field = nullptr;
  const std::byte* at = nullptr;  // the value; of a list the list
  Form form = Form::absent;
  bool stated = false;  // a machine file states the value, or its absence
};

inline Part part_of(const model::FieldDescriptor& field, const std::byte* structure) {
  const model::ConstMember member(field, structure);
  if (field.list) return {&field, member.data(), Form::list};
  if (field.type == model::Type::structure) return {&field, member.data(), Form::structure};
  return {&field, member.data(), member.present() ? Form::scalar : Form::absent, member.stated()};
}

// Calls `visit(part)` for each field of a struct, in the order of the registry.
template <class Visit>
void each_field(const model::StructDescriptor& type, const std::byte* structure, Visit&& visit) {
  for (const auto& field : type.fields())
    if (!field.reader) visit(part_of(field, structure));
}

// Calls `visit(part)` for each item of a list.
template <class Visit>
void each_item(const Part& list, Visit&& visit) {
  const auto& field = *list.field;
  const model::ConstMember member(field, list.at - field.offset);
  const auto form = field.type == model::Type::structure ? Form::structure : Form::scalar;
  for (std::uint32_t i = 0; i < member.size(); ++i) visit(Part{&field, member.item(i), form});
}

}  // namespace nvmlkit::sim::text
