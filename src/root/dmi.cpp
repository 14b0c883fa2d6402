#include "root/dmi.hpp"

#include <fmt/format.h>

#include <string_view>

#include "sim/model/identity.hpp"

namespace nvmlkit::root {
namespace {

constexpr unsigned int kSecret = 0400;  // serial numbers and the UUID are root's to read

template <class Field>
std::string_view text_of_dmi(const Field& field) {
  return field ? field->view() : std::string_view();
}

// In the form of RFC 4122, version 4.
std::string uuid_of(const sim::Machine& machine) {
  if (const auto& stated = machine.system().product.uuid) return std::string(stated->view());
  const auto gpus = machine.gpus();
  const auto first = gpus.empty() ? std::string_view() : text_of_dmi(gpus[0].uuid);
  const auto high = sim::identity_hash(first, 1), low = sim::identity_hash(first, 2);
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xFFFF, high & 0xFFF,
                     (low >> 48 & 0x3FFF) | 0x8000, low & 0xFFFFFFFFFFFF);
}

// The serial number of the chassis that a GPU of a rack knows.
std::string_view chassis_serial(const sim::Machine& machine) {
  for (const auto& gpu : machine.gpus())
    if (const auto& serial = gpu.platform.chassis_serial_number; serial && !serial->view().empty())
      return serial->view();
  return text_of_dmi(machine.system().product.serial);
}

}  // namespace

void add_dmi(Tree& tree, const sim::Machine& machine) {
  const Place id(tree, "sys/devices/virtual/dmi/id");
  const auto& product = machine.system().product;
  const auto vendor = text_of_dmi(product.vendor), name = text_of_dmi(product.name);
  for (const auto* file : {"sys_vendor", "board_vendor", "chassis_vendor", "bios_vendor"}) id.add(file, vendor);
  for (const auto* file : {"product_name", "board_name"}) id.add(file, name);
  id.add("product_version", text_of_dmi(product.version));
  for (const auto* file : {"product_serial", "board_serial"}) id.add(file, text_of_dmi(product.serial), kSecret);
  id.add("chassis_serial", chassis_serial(machine), kSecret);
  id.add("chassis_type", "23");  // a chassis for a rack
  id.add("product_uuid", uuid_of(machine), kSecret);
  Place(tree, "sys/class/dmi").link("id", id.path());
}

}  // namespace nvmlkit::root
