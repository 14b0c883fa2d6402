#include <fmt/format.h>

#include "emit/driver_emitters.hpp"
#include "emit/driver_text.hpp"

namespace nvmlgen {

std::string emit_vgpu_types(const Registry& registry) {
  const auto& all = registry.vgpu_types;
  std::string out = kBanner;
  out += R"(// vGPU types by the GPU that hosts them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nvmlkit::sim::vgpu {

// What all types of a series have.
struct Series {
  char letter;
  std::string_view type_class, license, product;
  std::uint32_t heads, frame_rate_limit, max_per_vm;
};

struct Type {
  std::uint32_t id;
  std::string_view name;     // NVIDIA A40-8Q, GRID T4-8Q
  std::string_view profile;  // its GPU instance profile; empty: it shares the GPU's time
  std::uint32_t memory_gb, width, height;
  std::uint32_t device_id, subsystem_id;  // PCI; the subsystem with the device above
  const Series* series;
};

struct Board {
  std::string_view gpu;  // its name
  std::uint32_t memory_gb;
  std::span<const Type> types;
};

namespace detail {

)";
  for (const auto& [letter, s] : all.series)
    out += fmt::format("inline constexpr Series series_{0}{{'{0}', \"{1}\", \"{2}\", \"{3}\", {4}, {5}, {6}}};\n",
                       letter, s.type_class, s.license, s.product, s.heads, s.frame_rate_limit, s.max_per_vm);
  std::size_t number = 0;
  for (const auto& board : all.boards) {
    out += fmt::format("\ninline constexpr Type types_{}[] = {{  // {}\n", number++, board.gpu);
    for (const auto& t : board.types)
      out += fmt::format("    {{{}, \"{} {}\", \"{}\", {}, {}, {}, 0x{:04X}, 0x{:04X}{:04X}, &series_{}}},\n", t.id,
                         board.prefix, t.name, t.profile, t.memory_gb, t.width, t.height, board.device_id,
                         board.device_id, t.subsystem_id, t.series);
    out += "};\n";
  }
  out += "\n}  // namespace detail\n\ninline constexpr Board boards[] = {\n";
  number = 0;
  for (const auto& board : all.boards)
    out += fmt::format("    {{\"{}\", {}, detail::types_{}}},\n", board.gpu, board.memory_gb, number++);
  out += "};\n\n}  // namespace nvmlkit::sim::vgpu\n";
  return out;
}

}  // namespace nvmlgen
