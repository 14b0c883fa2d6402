#include "ptx/decode/form.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/builtins/builtins.hpp"
#include "ptx/parse/link.hpp"
#include "ptx/run/special.hpp"

namespace nvmlkit::ptx {

Form::Form(FunctionDecoder& decoder, const Statement& statement, const InstructionEntry& entry)
    : decoder_(decoder), statement_(statement), entry_(entry) {
  out.line = statement.line;
  if (statement.has_guard) {
    out.guard = predicate(statement.guard);
    out.guard_negated = statement.guard.negated;
  }
}

bool Form::has(std::string_view word) const {
  return std::find(statement_.words.begin(), statement_.words.end(), word) != statement_.words.end();
}

std::string_view Form::one_of(std::initializer_list<std::string_view> words) const {
  for (const auto there : statement_.words)
    for (const auto word : words)
      if (there == word) return word;
  return {};
}

std::string_view Form::starting_with(std::string_view part) const {
  for (const auto there : statement_.words)
    if (there.starts_with(part)) return there;
  return {};
}

Rounding Form::rounding() const {
  if (has("rz") || has("rzi")) return Rounding::zero;
  if (has("rm") || has("rmi")) return Rounding::down;
  if (has("rp") || has("rpi")) return Rounding::up;
  return Rounding::nearest;
}

Space Form::space() const {
  const auto word = one_of(
      {"global", "shared", "shared::cta", "shared::cluster", "local", "param", "param::entry", "param::func", "const"});
  if (word.empty()) return Space::generic;
  if (word == "global") return Space::global;
  if (word == "local") return Space::local;
  if (word == "const") return Space::constant;
  return word.starts_with("param") ? Space::param : Space::shared;
}

const Term& Form::term(std::size_t index) const {
  if (index >= count()) fail(ErrorKind::operands, "an operand is missing");
  return statement_.terms[index];
}

const Term& Form::half(std::size_t index, std::size_t part) const {
  const auto& whole = term(index);
  static const Term nothing;
  if (whole.kind == Term::Kind::pair) return whole.items[part];
  return part == 0 ? whole : nothing;
}

bool Form::is_remade() const {
  return op() == Op::mov_ || op() == Op::cvta_ ||
         (op() == Op::ld_ && space() == Space::param && decoder_.function_.is_entry);
}

// What a predicate guards leaves the other lanes as they were; the sums of wgmma are read as well.
Operand Form::place_of(const Term& t, bool defines) {
  const bool only_defines = defines && !statement_.has_guard && statement_.opcode != "wgmma";
  decoder_.function_.accesses.push_back(
      {static_cast<std::uint32_t>(decoder_.function_.code.size()), static_cast<std::uint32_t>(t.offset),
       static_cast<std::uint8_t>(t.type == Type::pred ? 0 : size_of(t.type)), defines, only_defines});
  if (t.type != Type::pred) {
    decoder_.mentions_.push_back({static_cast<std::uint32_t>(decoder_.function_.code.size()),
                                  static_cast<std::uint32_t>(t.offset), size_of(t.type), only_defines,
                                  only_defines && is_remade()});
  }
  return Operand::at(Operand::registers, t.offset);
}

void Form::fail_without(const Term& t, std::string_view expected) const {
  const auto is_declared = [&] {
    return t.variable || names().functions.contains(t.name) || names().variables.contains(t.name);
  };
  if ((t.kind == Term::Kind::special && !find_special(t.name)) || (t.kind == Term::Kind::symbol && !is_declared()))
    fail(ErrorKind::unknown_symbol, "'" + std::string(t.name) + "' is not declared", std::string(t.name));
  fail(ErrorKind::operands, "expected " + std::string(expected));
}

Operand Form::target(const Term& t, Type type) {
  if (t.kind == Term::Kind::none) return {};
  if (t.kind != Term::Kind::reg) fail_without(t, "a register");
  if (size_of(t.type) != size_of(type) || (t.type == Type::pred) != (type == Type::pred))
    fail(ErrorKind::operands, "register " + std::string(t.name) + " has another size");
  return place_of(t, true);
}

Operand Form::predicate(const Term& t) {
  if (t.kind == Term::Kind::reg && t.type == Type::pred) return place_of(t, false);
  if (t.kind == Term::Kind::integer) return constant(t.value ? ~std::uint64_t{0} : 0, 4);
  fail_without(t, "a predicate");
}

Operand Form::constant(std::uint64_t value, unsigned size) { return decoder_.constant(value, size); }

Operand Form::source(const Term& t, Type type) {
  unsigned size = 0;
  const auto operand = wide_source(t, type, size);
  if (size != size_of(type)) fail(ErrorKind::operands, "operand " + std::string(t.name) + " has another size");
  return operand;
}

Operand Form::wide_source(const Term& t, Type type, unsigned& size) {
  size = size_of(type);
  switch (t.kind) {
    case Term::Kind::reg:
      if ((t.type == Type::pred) != (type == Type::pred))
        fail(ErrorKind::operands, "a predicate among values, or the other way round");
      size = size_of(t.type);
      return place_of(t, false);
    case Term::Kind::special: {
      const auto* known = find_special(t.name);
      if (!known) fail_without(t, "a register or a number");
      size = known->size;
      decoder_.function_.values_of_block |= known->of_block;
      return Operand::at(Operand::special, known->offset);
    }
    default:
      break;
  }
  if (size > 8) fail(ErrorKind::operands, "expected a register");
  switch (t.kind) {
    case Term::Kind::integer:
      if (type == Type::f32)
        return constant(std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(t.value))), 4);
      if (type == Type::f64)
        return constant(std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(t.value))), 8);
      return constant(t.value, size);
    case Term::Kind::real32:
      if (size == 8)
        return constant(std::bit_cast<std::uint64_t>(double{std::bit_cast<float>(static_cast<std::uint32_t>(t.value))}),
                        8);
      return constant(t.value, size);
    case Term::Kind::real64:
      if (size == 4)
        return constant(std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(t.value))), 4);
      return constant(t.value, size);
    default:
      fail_without(t, "a register or a number");
  }
}

Operand Form::wide_target(const Term& t, Type type, unsigned& size) {
  size = size_of(type);
  if (t.kind == Term::Kind::none) return {};
  if (t.kind != Term::Kind::reg || t.type == Type::pred) fail_without(t, "a register");
  size = size_of(t.type);
  if (size < size_of(type)) fail(ErrorKind::operands, "register " + std::string(t.name) + " is too small");
  return place_of(t, true);
}

void Form::list(std::vector<Operand> operands) {
  auto& all = decoder_.function_.operands;
  out.side = static_cast<std::uint32_t>(all.size());
  out.count = static_cast<std::uint8_t>(operands.size());
  all.insert(all.end(), operands.begin(), operands.end());
}

Space Form::symbol_address(const Term& t) {
  out.immediate = t.value;
  if (t.variable) {
    const auto* const v = definition_of(*t.variable);
    if (!v) fail("variable " + t.variable->name + " is declared, and no module that is linked defines it");
    out.immediate += v->offset;
    if (v->space == Space::local) out.local_base = true;
    if (v->space == Space::global || v->space == Space::constant) {
      const auto index = static_cast<std::uint32_t>(decoder_.function_.code.size());
      decoder_.source_.module->fixups.push_back({&decoder_.function_, false, index});
    }
    return v->space;
  }
  if (const auto at = names().functions.find(t.name); at != names().functions.end()) {
    const auto* const known = definition_of(*at->second);
    if (!known && builtin_named(t.name) < 0) fail_undefined(*at->second);
    out.immediate = kCodeWindow + std::uint64_t{16} * (known ? known : at->second)->number;
    return Space::generic;
  }
  const auto& variables = names().variables;
  if (const auto at = variables.find(t.name); at != variables.end()) {
    auto known = t;
    known.variable = at->second;
    return symbol_address(known);
  }
  fail(ErrorKind::unknown_symbol, "'" + std::string(t.name) + "' is not declared", std::string(t.name));
}

void Form::fail_undefined(const Function& function) const {
  fail(ErrorKind::undefined_function,
       "function " + function.name + " is declared, and no module that is linked defines it", function.name);
}

Operand Form::variable_address(const Variable& variable) {
  auto& pool = decoder_.function_.constants;
  const auto start = (pool.size() + 63) / 64 * 64;
  pool.resize(start + sizeof variable.offset * kLanes);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    std::memcpy(pool.data() + start + lane * sizeof variable.offset, &variable.offset, sizeof variable.offset);
  decoder_.source_.module->fixups.push_back({&decoder_.function_, true, static_cast<std::uint32_t>(start)});
  return Operand::at(Operand::constants, static_cast<std::uint32_t>(start));
}

void Form::address(const Term& t, Space& space) {
  if (t.kind != Term::Kind::address) fail(ErrorKind::operands, "expected an address");
  out.immediate = t.value;
  if (!t.has_base) return;
  const auto& base = t.items[0];
  if (base.kind == Term::Kind::symbol) {
    auto symbol = base;
    symbol.value = t.value;
    const auto own = symbol_address(symbol);
    if (space == Space::generic || space == Space::param) space = own;
  } else {
    unsigned size = 0;
    out.a = wide_source(base, Type::u64, size);
    if (size != 4 && size != 8) fail("expected an address register of 32 or 64 bits");
    out.wide_address = size == 8;
    if (space == Space::param && decoder_.function_.is_entry) space = Space::kernel_param;
  }
}

std::uint32_t Form::label(const Term& t) { return decoder_.label(t, statement_.line); }

std::uint32_t Form::table(const Term& t) {
  for (const auto& known : decoder_.body_.tables) {
    if (known.name != t.name) continue;
    std::vector<std::uint32_t> targets;
    for (const auto name : known.labels) targets.push_back(decoder_.label(name, known.scope, statement_.line));
    decoder_.function_.tables.push_back(std::move(targets));
    return static_cast<std::uint32_t>(decoder_.function_.tables.size() - 1);
  }
  fail("no .branchtargets of the name " + std::string(t.name));
}

Function& Form::function() { return decoder_.function_; }
const Names& Form::names() const { return decoder_.source_.parts[decoder_.function_.part]; }

}  // namespace nvmlkit::ptx
