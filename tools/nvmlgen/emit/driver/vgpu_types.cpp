#include <fmt/format.h>

#include "emit/driver/emitters.hpp"
#include "emit/driver/text.hpp"

namespace nvmlgen {

std::string emit_vgpu_types(const Registry& registry) {
  const auto& all = registry.vgpu_types;
  std::string out = kBanner;
  out += R"(// vGPU types by the GPU that hosts them.
#pragma once

#include "sim/native/vgpu.hpp"

namespace nvmlkit::sim::vgpu {
namespace detail {

)";
  for (const auto& [letter, s] : all.series)
    out += fmt::format("inline constexpr Series series_{0}{{'{0}', \"{1}\", \"{2}\", \"{3}\", {4}, {5}, {6}}};\n",
                       letter, s.type_class, s.license, s.product, s.heads, s.frame_rate_limit, s.max_per_vm);
  std::size_t number = 0;
  for (const auto& board : all.boards) {
    out += fmt::format("\ninline constexpr Type types_{}[] = {{  // {}\n", number++, board.gpu);
    for (const auto& t : board.types)
      out += fmt::format("    {{{}, \"{} {}\", \"{}\", {}, {}, {}, 0x{:04X}, 0x{:04X}{:04X}, {}, &series_{}}},\n", t.id,
                         board.prefix, t.name, t.profile, t.memory_gb, t.width, t.height, board.device_id,
                         board.device_id, t.subsystem_id, t.most, t.series);
    out += "};\n";
  }
  out += "\n}  // namespace detail\n\ninline constexpr Board boards[] = {\n";
  number = 0;
  for (const auto& board : all.boards)
    out += fmt::format("    {{\"{}\", {}, {}, {}, detail::types_{}}},\n", board.gpu, board.memory_gb, board.most,
                       board.mixes_without_loss, number++);
  out += "};\n\n}  // namespace nvmlkit::sim::vgpu\n";
  return out;
}

}  // namespace nvmlgen
