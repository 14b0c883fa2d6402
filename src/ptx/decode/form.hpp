// One instruction during its decoding: its words, types and operands, and the resulting instruction.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/decode/instruction_set.hpp"
#include "ptx/decode/registers.hpp"
#include "ptx/parse/source.hpp"

namespace nvmlkit::ptx {

class FunctionDecoder;

class Form {
 public:
  Form(FunctionDecoder& decoder, const Statement& statement, const InstructionEntry& entry);

  // Reads words, types and number of operands.
  void check();

  Instruction out;

  Op op() const { return entry_.op; }
  bool has(std::string_view word) const;
  // The first of the words that stands there; empty for none.
  std::string_view one_of(std::initializer_list<std::string_view> words) const;
  // The first word that begins so; empty for none.
  std::string_view starting_with(std::string_view part) const;
  std::span<const Type> types() const { return types_; }
  Type type() const { return types_.empty() ? Type::none : types_[0]; }
  Rounding rounding() const;
  Space space() const;  // generic where none stands

  std::size_t count() const { return statement_.terms.size(); }
  const Term& term(std::size_t index) const;
  bool is_there(std::size_t index) const { return index < count() && term(index).kind != Term::Kind::none; }

  // Operands whose registers have the size of the type.
  Operand target(std::size_t index, Type type) { return target(term(index), type); }
  Operand target(const Term& term, Type type);
  Operand source(std::size_t index, Type type) { return source(term(index), type); }
  Operand source(const Term& term, Type type);
  // Registers that may be wider; their size comes back.
  Operand wide_target(const Term& term, Type type, unsigned& size);
  Operand wide_source(const Term& term, Type type, unsigned& size);
  Operand predicate(const Term& term);
  // d|p: each into its operand; either may be '_'.
  const Term& half(std::size_t index, std::size_t part) const;
  Operand constant(std::uint64_t value, unsigned size);
  // An address: offset, base and local_base of `out`. A symbol decides the space where none stands.
  void address(const Term& term, Space& space);
  // The operands of a vector, or of one register; side and count of `out`.
  void list(std::vector<Operand> operands);

  std::uint32_t label(const Term& term);
  std::uint32_t table(const Term& term);
  Function& function();
  // What the names of the module mean in which the instruction stands.
  const Names& names() const;
  // The address of a variable of the module, for all lanes.
  Operand variable_address(const Variable& variable);
  // The address of a symbol, in an immediate of `out`, and its space.
  Space symbol_address(const Term& term);
  // The first version of PTX, 10 * major + minor, and the first GPU with a form that its words do not tell.
  void need(int version, int architecture) const;
  // What only the GPUs of a family have: sm_100a, sm_100f, sm_103a.
  void need_family(int architecture) const;
  [[noreturn]] void fail(const std::string& text) const { fail(ErrorKind::other, text); }
  [[noreturn]] void fail(ErrorKind kind, const std::string& text, std::string subject = {}) const;
  // The term is none of what is expected: perhaps a name that nothing declares.
  [[noreturn]] void fail_without(const Term& term, std::string_view expected) const;
  [[noreturn]] void fail_undefined(const Function& function) const;
  // What PTX may have, and this instruction set has not: text ends in "is not simulated", say.
  [[noreturn]] void fail_simulation(const std::string& text) const;
  // Makes `out` an instruction that ends its kernel with this text; its guard stays.
  void become_not_simulated(std::string text);
  [[noreturn]] void fail_types() const { fail_simulation("these types are not simulated"); }

 private:
  std::string full_name() const;
  void check_needs() const;
  [[noreturn]] void fail_need(int version, int architecture, bool exact) const;
  bool has_all(std::string_view words) const;
  Operand place_of(const Term& reg, bool defines);
  bool is_remade() const;

  FunctionDecoder& decoder_;
  const Statement& statement_;
  const InstructionEntry& entry_;
  std::vector<Type> types_;
};

namespace decoders {

// Of instructions that share a name with others: st.async, red.async; cp.async.bulk, and with it tensor.
void async_changes(Form& form);
void vector_atomics(Form& form);
void quad_atomics(Form& form);
void packed_integers(Form& form);
void extremes(Form& form);
void blackwell_sums(Form& form);
void convert_and_pack(Form& form);
void convert_pairs(Form& form);
void bulk_copies(Form& form);
void tensor_copies(Form& form);

}  // namespace decoders

// Decodes the body of one function.
class FunctionDecoder {
 public:
  FunctionDecoder(Source& source, Body& body) : source_(source), body_(body), function_(*body.function) {}
  void decode_body();

 private:
  friend class Form;
  std::uint32_t label(const Term& term, int line) const;
  std::uint32_t label(std::string_view name, int scope, int line) const;
  Operand constant(std::uint64_t value, unsigned size);

  Source& source_;
  Body& body_;
  Function& function_;
  std::unordered_map<std::uint64_t, Operand> constants_[4];  // by size: 1, 2, 4, 8
  std::vector<Mention> mentions_;
};

}  // namespace nvmlkit::ptx
