#include "sim/telemetry/pins.hpp"

#include <memory>

namespace nvmlkit::sim::telemetry {
namespace {

bool lies_below(std::string_view path, std::string_view group) {
  return group.empty() || path == group ||
         (path.size() > group.size() && path.starts_with(group) && path[group.size()] == '.');
}

}  // namespace

std::size_t release(model::Gpu& gpu, std::string_view path) {
  std::size_t released = 0;
  model::each_live(gpu, [&](std::string_view at, auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if (!lies_below(at, path) || !is_pinned(gpu.motion, Field::kId)) return;
    field.value = unpinned(gpu, field).value;
    gpu.motion.pinned &= ~(std::uint64_t{1} << static_cast<std::size_t>(Field::kId));
    gpu.motion.replaced[static_cast<std::size_t>(Field::kId)] = 0;
    ++released;
  });
  return released;
}

bool is_live(std::string_view path) {
  bool found = false;
  const auto gpu = std::make_unique<model::Gpu>();
  model::each_live(*gpu, [&](std::string_view at, auto&) { found |= lies_below(at, path); });
  return found;
}

}  // namespace nvmlkit::sim::telemetry
