// tex, tld4, suld, sust: textures are sampled, surfaces are read and written. The driver supplies both.
#include <cstring>

#include "ptx/decode/form.hpp"
#include "ptx/parse/link.hpp"
#include "ptx/run/block.hpp"

namespace nvmlkit::ptx {
namespace {

// A handle, or the address of a reference, where the handle lies.
std::uint64_t handle_of(Warp& w, const Instruction& i, const Operand& operand, unsigned lane) {
  auto handle = w.at<std::uint64_t>(operand)[lane];
  if (handle >> 56 == 0)
    if (const auto* const p = w.block.worker().global(handle, sizeof handle, i)) std::memcpy(&handle, p, sizeof handle);
  return handle;
}

// Operands: the texture, up to four coordinates, four targets; then a level, or gradients of each coordinate.
constexpr std::size_t kTargets = 5, kMore = 9;
// `detail`: how many dimensions, and what else there is.
constexpr unsigned kDimensions = 3, kCube = 4, kLayers = 8, kByIndex = 16, kGathers = 32, kLevel = 64, kGradients = 128;

// Most reads: by coordinates alone or the number of a texel, and all lanes from one texture. False: they are read one
// by one.
bool sample_row(Warp& w, const Instruction& i, Mask lanes, const Operand* operands) {
  const bool by_index = i.detail == (1 | kByIndex);
  if (!by_index && (i.detail & ~kDimensions) != 0) return false;
  const auto* const handles = w.at<std::uint64_t>(operands[0]);
  const auto first = first_of(lanes);
  for (Mask others = lanes & (lanes - 1); others != 0; others &= others - 1)
    if (handles[first_of(others)] != handles[first]) return false;
  LookupRow row;
  row.texture = handle_of(w, i, operands[0], first);
  row.dimensions = i.detail & kDimensions;
  row.lanes = lanes;
  if (by_index) row.index = w.at<std::uint32_t>(operands[1]);
  for (unsigned k = 0; !by_index && k < row.dimensions; ++k) row.at[k] = w.at<float>(operands[1 + k]);
  SampledRow read;
  if (!w.block.worker().grid.memory->sample_row(row, read)) return false;
  static constexpr std::uint32_t kZeros[kLanes] = {};
  for (unsigned k = 0; k < 4; ++k) {
    if (!operands[kTargets + k].is_there()) continue;
    auto* const target = w.at<std::uint32_t>(operands[kTargets + k]);
    const auto* const values = k < read.components ? read.bits[k] : kZeros;
    if (lanes == kAllLanes) {
      std::memcpy(target, values, sizeof kZeros);
      continue;
    }
    for (unsigned l = 0; l < kLanes; ++l)
      if (lanes >> l & 1) target[l] = values[l];
  }
  return true;
}

void sample(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const operands = w.frame().function->operands.data() + i.side;
  if (sample_row(w, i, lanes, operands)) return;
  // The driver reads for all lanes at once.
  Lookup lookups[kLanes];
  unsigned lane_of[kLanes], count = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    auto& lookup = lookups[count];
    lane_of[count++] = l;
    lookup.dimensions = i.detail & kDimensions;
    lookup.is_cube = i.detail & kCube;
    lookup.is_layered = i.detail & kLayers;
    lookup.by_index = i.detail & kByIndex;
    lookup.gathered = i.detail & kGathers ? static_cast<int>(i.immediate) : -1;
    lookup.level = i.detail & kLevel       ? Lookup::Level::given
                   : i.detail & kGradients ? Lookup::Level::by_gradients
                                           : Lookup::Level::base;
    lookup.texture = handle_of(w, i, operands[0], l);
    const auto* coordinates = operands + 1;
    if (lookup.is_layered) lookup.layer = w.at<std::uint32_t>(*coordinates++)[l];
    for (unsigned k = 0; k < lookup.dimensions; ++k) {
      const auto bits = w.at<std::uint32_t>(coordinates[k])[l];
      std::memcpy(&lookup.at[k], &bits, sizeof bits);
      std::memcpy(&lookup.index[k], &bits, sizeof bits);
    }
    if (lookup.level == Lookup::Level::given) lookup.lod = w.at<float>(operands[kMore])[l];
    if (lookup.level == Lookup::Level::by_gradients)
      for (unsigned k = 0; k < 2 * lookup.dimensions; ++k)
        lookup.gradients[k / lookup.dimensions][k % lookup.dimensions] = w.at<float>(operands[kMore + k])[l];
  }
  Sampled out[kLanes];
  const auto read = w.block.worker().grid.memory->sample(std::span(lookups, count), out);
  for (unsigned n = 0; n < read; ++n)
    for (unsigned k = 0; k < 4; ++k)
      if (operands[kTargets + k].is_there()) w.at<std::uint32_t>(operands[kTargets + k])[lane_of[n]] = out[n].bits[k];
  if (read < count) w.fault(FaultKind::illegal_instruction, lookups[read].texture, i, lane_of[read]);
}

// Operands: the surface, three coordinates, the values. `detail`: bytes of a value, 16 stores, 32 clamps; `flag`:
// outside is zero. Bytes lie in registers of 16 bits.
void access(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const operands = w.frame().function->operands.data() + i.side;
  const std::size_t size = i.detail & 15;
  const auto values = i.count - 4u;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    const auto handle = handle_of(w, i, operands[0], l);
    std::int32_t at[3];
    for (unsigned k = 0; k < 3; ++k) at[k] = w.at<std::int32_t>(operands[1 + k])[l];
    std::byte* bytes = nullptr;
    if (!w.block.worker().grid.memory->surface(handle, at, size * values, i.detail & 32, bytes))
      return w.fault(FaultKind::illegal_instruction, handle, i, l);
    if (!bytes && !i.flag) return w.fault(FaultKind::illegal_address, handle, i, l);
    for (unsigned k = 0; k < values; ++k) {
      auto* const value = w.at<std::byte>(operands[4 + k]) + l * (size == 1 ? 2 : size);
      auto* const element = bytes + k * size;
      if (i.detail & 16) {
        if (bytes) std::memcpy(element, value, size);
      } else {
        std::memset(value, 0, size == 1 ? 2 : size);
        if (bytes) std::memcpy(value, element, size);
      }
    }
  }
}

struct Geometry {
  unsigned dimensions;
  bool is_layered;
};

Geometry geometry_of(const Form& f) {
  if (f.has("1d")) return {1, false};
  if (f.has("2d")) return {2, false};
  if (f.has("3d")) return {3, false};
  if (f.has("a1d")) return {1, true};
  if (f.has("a2d")) return {2, true};
  if (f.has("cube")) return {3, false};
  if (f.has("acube")) return {3, true};
  f.fail_simulation("this geometry is not simulated");
}

// A register with a handle, or the name of a reference.
Operand object(Form& f, const Term& term) {
  if (term.kind != Term::Kind::symbol || !term.variable) return f.source(term, Type::u64);
  const auto* const v = definition_of(*term.variable);
  if (!v || v->reference == Reference::none) f.fail("'" + std::string(term.name) + "' is no texture and no surface");
  return f.variable_address(*v);
}

// [object, {coordinates}] as operands.
std::vector<Operand> place(Form& f, const Term& term, const Geometry& geometry, Type type, std::size_t room) {
  if (term.kind != Term::Kind::address || term.items.size() != 2) f.fail("expected an object with its coordinates");
  std::vector<Operand> out{object(f, term.items[0])};
  const auto& list = term.items[1];
  const bool is_vector = list.kind == Term::Kind::vector;
  const auto needed = geometry.dimensions + (geometry.is_layered ? 1u : 0u);
  if ((is_vector ? list.items.size() : 1) < needed) f.fail("a coordinate is missing");
  for (unsigned k = 0; k < needed; ++k)
    out.push_back(f.source(is_vector ? list.items[k] : list, geometry.is_layered && k == 0 ? Type::u32 : type));
  while (out.size() < room) out.push_back(f.constant(0, 4));
  return out;
}

}  // namespace

namespace decoders {

void textures(Form& f) {
  const bool gathers = f.op() == Op::tld4_;
  const auto types = f.types();
  if (types.size() != 2 || size_of(types[0]) != 4) f.fail_types();
  const auto geometry = geometry_of(f);
  auto operands = place(f, f.term(1), geometry, types[1], 5);
  const auto& targets = f.term(0);
  if (targets.kind != Term::Kind::vector || targets.items.size() != 4) f.fail("expected four registers");
  for (const auto& one : targets.items) operands.push_back(f.target(one, types[0]));
  const bool level = f.has("level"), gradients = f.has("grad");
  if (f.count() != (level ? 3u : gradients ? 4u : 2u)) f.fail(ErrorKind::operands, "another number of operands");
  if (level) operands.push_back(f.source(2, Type::f32));
  for (std::size_t k = 2; gradients && k < 4; ++k) {
    const auto& list = f.term(k);
    const bool is_vector = list.kind == Term::Kind::vector;
    if ((is_vector ? list.items.size() : 1) < geometry.dimensions) f.fail("a gradient is missing");
    for (unsigned d = 0; d < geometry.dimensions; ++d)
      operands.push_back(f.source(is_vector ? list.items[d] : list, Type::f32));
  }
  f.list(std::move(operands));
  const bool is_cube = f.has("cube") || f.has("acube");
  f.out.detail =
      static_cast<std::uint8_t>(geometry.dimensions | (is_cube ? kCube : 0u) | (geometry.is_layered ? kLayers : 0u) |
                                (types[1] == Type::s32 ? kByIndex : 0u) | (gathers ? kGathers : 0u) |
                                (level ? kLevel : 0u) | (gradients ? kGradients : 0u));
  if (gathers) f.out.immediate = f.has("r") ? 0 : f.has("g") ? 1 : f.has("b") ? 2 : 3;
  f.out.handler = &sample;
}

void surfaces(Form& f) {
  const bool stores = f.op() == Op::sust_;
  const auto geometry = geometry_of(f);
  if (geometry.dimensions + (geometry.is_layered ? 1u : 0u) > 3) f.fail_types();
  // A layer is one dimension more.
  auto operands = place(f, f.term(stores ? 0 : 1), geometry, Type::s32, 4);
  if (geometry.is_layered) {
    const auto layer = operands[1];
    operands[1] = operands[2];
    operands[2] = geometry.dimensions == 2 ? operands[3] : f.constant(0, 4);
    operands[3] = layer;
  }
  const auto& values = f.term(stores ? 1 : 0);
  const bool is_vector = values.kind == Term::Kind::vector;
  for (std::size_t k = 0; k < (is_vector ? values.items.size() : 1); ++k) {
    const auto& one = is_vector ? values.items[k] : values;
    const auto type = size_of(f.type()) == 1 ? Type::b16 : f.type();
    operands.push_back(stores ? f.source(one, type) : f.target(one, type));
  }
  f.list(std::move(operands));
  f.out.detail = static_cast<std::uint8_t>(size_of(f.type()) | (stores ? 16u : 0u) | (f.has("clamp") ? 32u : 0u));
  f.out.flag = f.has("zero");
  f.out.handler = &access;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
