#include "serve/machine/fields.hpp"

#include <string_view>
#include <type_traits>
#include <variant>

#include "sim/generated/model_descriptors.hpp"
#include "sim/model/pci_bus_id.hpp"
#include "sim/text/paths.hpp"
#include "sim/text/scalar.hpp"
#include "sim/text/walk.hpp"

namespace nvmlkit::serve {
namespace {

using Json = nlohmann::ordered_json;
using sim::model::Gpu;
using sim::text::Form;
using sim::text::Part;

// PCI addresses have a domain of eight digits here.
Json json_of(const sim::text::Scalar& scalar) {
  return std::visit(
      [](const auto& value) -> Json {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, sim::model::PciBusId>) {
          char buffer[24];
          return std::string(sim::model::format_pci_bus_id(value, 8, buffer));
        } else if constexpr (std::is_same_v<T, std::string_view>) {
          return std::string(value);
        } else {
          return value;
        }
      },
      scalar);
}

Json json_of(const sim::model::StructDescriptor& type, const std::byte* structure);

Json json_of(const Part& part) {
  switch (part.form) {
    case Form::absent:
      return nullptr;
    case Form::scalar:
      return json_of(sim::text::scalar_at(*part.field, part.at));
    case Form::list: {
      auto out = Json::array();
      sim::text::each_item(part, [&](const Part& item) { out.push_back(json_of(item)); });
      return out;
    }
    case Form::structure:
      break;
  }
  return json_of(part.field->nested(), part.at);
}

Json json_of(const sim::model::StructDescriptor& type, const std::byte* structure) {
  auto out = Json::object();
  sim::text::each_field(type, structure,
                        [&](const Part& part) { out[std::string(part.field->name())] = json_of(part); });
  return out;
}

}  // namespace

sim::Expected<Json> fields_of(const Gpu& gpu, const std::string& path) {
  const auto& type = sim::model::descriptor<Gpu>();
  const auto* bytes = reinterpret_cast<const std::byte*>(&gpu);
  if (path.empty()) return json_of(type, bytes);
  const auto found = sim::text::locate(type, path, bytes);
  if (!found) return sim::fail(found.error());
  return json_of(sim::text::part_of(*found->field, found->structure));
}

}  // namespace nvmlkit::serve
