// Parses PTX text: directives of the module, then functions.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/parse/source.hpp"

namespace nvmlkit::ptx {

class Parser {
 public:
  Parser(std::string_view text, Source& source) : text_(text), lexer_(text), source_(source), module_(source.module) {}

  void all(Bodies bodies);
  Body& one_body(const DeferredBody& deferred);

 private:
  // Tokens.
  const Token& peek() const { return ahead_[0]; }
  const Token& second() const { return ahead_[1]; }
  Token take();
  bool accept(char symbol);
  void expect(char symbol);
  std::string_view word(const char* what);
  std::int64_t integer();
  [[noreturn]] void fail(const std::string& text) const { throw Error{peek().line, text}; }
  // The next token is something else.
  [[noreturn]] void fail_expected(const std::string& expected) const;
  // A directive or a type that PTX does not have.
  [[noreturn]] void fail_unknown(const char* what, std::string_view name, const char* where = "") const;
  // The text ends too early.
  [[noreturn]] void fail_end(const char* text) const { throw Error{peek().line, text, ErrorKind::syntax}; }
  void go_to(std::size_t at, int line);
  std::size_t place() const;  // of the next token

  // The module.
  void module_directive();
  void function(bool entry, Linkage linkage);
  void alias();
  Function& named_function(std::string_view name);
  void parameters(std::vector<Variable>& into);
  void function_directives(Function& function);
  void skip_statement();
  void skip_block();
  // The list behind .attribute; true where it has .managed.
  bool attributes();

  // Variables.
  Variable variable(Space space, Linkage linkage);
  void initializer(Variable& variable);
  void initial_values(Variable& variable, std::uint64_t& at);
  void module_variables(Space space, Linkage linkage);
  void keep_variable(Variable made);
  Variable& known_variable();

  // Bodies of functions.
  struct Entity {
    enum class Kind { reg, range, variable } kind;
    Type type;
    std::uint32_t offset, count;
    Variable* variable;
    unsigned width = 1;  // elements of a vector
  };
  using Scope = std::unordered_map<std::string_view, Entity>;
  void body(Function& function);
  void defer_body(Function& function);
  void skip_body();
  void forget_declared(const std::vector<Variable*>& variables);
  void body_item();
  void label();
  void body_directive();
  void registers();
  void body_variables(Space space);
  void body_variable(Variable made);
  void instruction();
  void vector_move(const Statement& statement);

  // Operands.
  Term term();
  Term name_term(std::string_view name);
  Term address();
  const Entity* find(std::string_view name, std::uint32_t& index) const;

  const std::string_view text_;
  Lexer lexer_;
  Token ahead_[2];
  Source& source_;
  Module* const module_;
  Bodies bodies_ = Bodies::read;
  std::vector<Variable*>* declared_ = nullptr;  // variables of the module that a body declares, while they are made
  std::vector<std::pair<std::string_view, Variable*>> renamed_;  // names that these took, and who had them before
  const std::vector<Variable*>* known_ = nullptr;  // the same, of a body whose variables are there already
  std::size_t next_known_ = 0;
  Names* names_ = nullptr;  // of the module that is read
  Body* body_ = nullptr;
  std::vector<Scope> scopes_;
  std::vector<int> scope_numbers_;
  int depth_ = 0;  // of lists within lists
};

// Rounded up to a multiple of a power of two.
constexpr std::uint64_t aligned(std::uint64_t value, std::uint64_t align) { return (value + align - 1) & ~(align - 1); }

}  // namespace nvmlkit::ptx
