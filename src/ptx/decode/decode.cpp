// Decodes parsed functions: places of variables, then one instruction after another.
#include <algorithm>
#include <cstring>

#include "ptx/check/checked.hpp"
#include "ptx/decode/form.hpp"
#include "ptx/decode/narrowed.hpp"
#include "ptx/parse/error_text.hpp"
#include "ptx/parse/parser.hpp"

namespace nvmlkit::ptx {
namespace {

// An instruction of PTX without a simulation, whatever it is.
void refuse(Form& form) { form.fail_simulation("is not simulated"); }
constexpr InstructionEntry kNotSimulated{{}, {}, &refuse, {}, {}, 0, 0, {}};

const InstructionEntry* find_entry(std::string_view name) {
  const auto all = instruction_set();
  const auto at = std::ranges::lower_bound(all, name, {}, &InstructionEntry::name);
  if (at != all.end() && at->name == name) return &*at;
  return std::ranges::binary_search(instructions_not_simulated(), name) ? &kNotSimulated : nullptr;
}

// Of copies, the first space is the one that they write to.
bool writes_global_memory(const Form& form) {
  switch (form.op()) {
    case Op::st_:
    case Op::atom_:
    case Op::red_:
    case Op::tensormap_:
      return true;
    case Op::wmma_:
      return form.has("store");
    case Op::cp_:
      return form.space() == Space::global;
    default:
      return false;
  }
}

}  // namespace

std::optional<Type> type_named(std::string_view name) {
  static constexpr std::pair<std::string_view, Type> kTypes[] = {
      {"pred", Type::pred},     {"b8", Type::b8},       {"u8", Type::u8},         {"s8", Type::s8},
      {"b16", Type::b16},       {"u16", Type::u16},     {"s16", Type::s16},       {"f16", Type::f16},
      {"bf16", Type::bf16},     {"b32", Type::b32},     {"u32", Type::u32},       {"s32", Type::s32},
      {"f32", Type::f32},       {"f16x2", Type::f16x2}, {"bf16x2", Type::bf16x2}, {"tf32", Type::tf32},
      {"b64", Type::b64},       {"u64", Type::u64},     {"s64", Type::s64},       {"f64", Type::f64},
      {"b128", Type::b128},     {"e4m3", Type::e4m3},   {"e5m2", Type::e5m2},     {"e4m3x2", Type::e4m3x2},
      {"e5m2x2", Type::e5m2x2}, {"u16x2", Type::u16x2}, {"s16x2", Type::s16x2},   {"b1", Type::b1},
      {"s4", Type::s4},         {"u4", Type::u4},       {"f32x2", Type::f32x2}};
  for (const auto& [known, type] : kTypes)
    if (known == name) return type;
  return std::nullopt;
}

Operand FunctionDecoder::constant(std::uint64_t value, unsigned size) {
  if (size < 8) value &= (std::uint64_t{1} << 8 * size) - 1;
  auto& known = constants_[size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
  const auto [at, is_new] = known.try_emplace(value);
  if (is_new) {
    auto& pool = function_.constants;
    const auto start = aligned(pool.size(), 64);
    pool.resize(start + std::size_t{size} * kLanes);
    for (unsigned lane = 0; lane < kLanes; ++lane) std::memcpy(pool.data() + start + lane * size, &value, size);
    at->second = Operand::at(Operand::constants, static_cast<std::uint32_t>(start));
  }
  return at->second;
}

std::uint32_t FunctionDecoder::label(std::string_view name, int scope, int line) const {
  for (; scope >= 0; scope = body_.outer[static_cast<std::size_t>(scope)])
    for (const auto& known : body_.labels)
      if (known.scope == scope && known.name == name) return known.at;
  throw Error{line, "no label " + std::string(name), ErrorKind::unknown_symbol, std::string(name)};
}

std::uint32_t FunctionDecoder::label(const Term& term, int line) const {
  if (term.kind != Term::Kind::symbol) throw Error{line, "expected a label"};
  return label(term.name, term.scope, line);
}

void FunctionDecoder::decode_body() {
  narrow_loads(body_);
  for (const auto& statement : body_.statements) {
    const auto* entry = find_entry(statement.opcode);
    if (!entry) {
      const std::string name(statement.opcode);
      throw Error{statement.line, "unknown instruction " + name, ErrorKind::unknown_instruction, name};
    }
    Form form(*this, statement, *entry);
    auto meaning = meaning_of(entry->op, statement.words);
    const auto fixups = source_.module->fixups.size();
    try {
      form.check();
      entry->decode(form);
      if (form.out.kind == Kind::plain && !form.out.handler) form.fail_types();
      form.out.writes = writes_global_memory(form);
    } catch (const NotSimulated& e) {
      source_.module->fixups.resize(fixups);
      form.become_not_simulated(text_of(e));
      meaning.add(Word::other);
    }
    if (form.out.kind == Kind::plain && form.out.guard.is_there()) form.out.kind = Kind::guarded;
    if (checking.is_on()) add_check(form, form.out, function_);
    function_.code.push_back(form.out);
    function_.meanings.push_back(meaning);
  }
  Instruction end;
  end.kind = Kind::ret;
  end.line = body_.statements.empty() ? function_.line : body_.statements.back().line;
  function_.code.push_back(end);
  function_.meanings.push_back({.op = Op::ret_});
  share_places(function_, mentions_);
}

void decode_body(Source& source, Body& body) {
  try {
    FunctionDecoder(source, body).decode_body();
  } catch (Error& e) {
    if (source.parts.size() > 1) e.part = body.function->part + std::size_t{1};
    throw;
  }
}

}  // namespace nvmlkit::ptx
