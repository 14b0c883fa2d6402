// The parser's output for the decoder: one instruction of the text, with names resolved.
#pragma once

#include <string_view>
#include <vector>

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

struct Term {
  enum class Kind : std::uint8_t { none, reg, special, integer, real32, real64, symbol, label, address, vector, pair };
  Kind kind = Kind::none;
  Type type = Type::none;    // of a register
  std::uint32_t offset = 0;  // of a register in the frame
  bool negated = false;      // !p
  std::uint64_t value = 0;   // of a number; what is added in an address or to a symbol
  std::string_view name;     // of a symbol, a special register or a label
  Variable* variable = nullptr;
  int scope = -1;           // in which a label is looked for
  bool has_base = false;    // an address: the first of `items`
  std::vector<Term> items;  // of a vector, a pair (d|p), a list of a call
};

struct Statement {
  int line = 0;
  std::string_view opcode;
  std::vector<std::string_view> words;  // .global .v4 .f32
  std::vector<Term> terms;
  bool has_guard = false;
  Term guard;
};

// A function with its body, as read.
struct Body {
  Function* function = nullptr;
  std::vector<Statement> statements;
  struct Label {
    int scope;
    std::string_view name;
    std::uint32_t at;
  };
  std::vector<Label> labels;
  std::vector<int> outer;          // the scope around each scope; -1 for the outermost
  std::deque<Variable> variables;  // local, param
  std::vector<Variable*> shared;   // those of the module that stand in the body
  struct Table {
    std::string_view name;
    std::vector<std::string_view> labels;
    int scope;
  };
  std::vector<Table> tables;  // .branchtargets
};

// What the names of one module mean in it.
struct Names {
  int version = 0;          // 10 * major + minor
  int architecture = 0;     // of the target; 0 where the module does not say
  std::string_view target;  // sm_90a
  std::unordered_map<std::string_view, Function*> functions;
  std::unordered_map<std::string_view, Variable*> variables;
  struct Alias {
    std::string_view name, of;
    int line;
  };
  std::vector<Alias> aliases;
};

// A body that is left for later: where its '{' stands, and the variables of the module that it declares, in their
// order.
struct DeferredBody {
  Function* function = nullptr;
  std::size_t at = 0;
  int line = 0;
  std::vector<Variable*> variables;
};

struct Source {
  Module* module = nullptr;
  std::deque<Body> bodies;
  std::deque<Names> parts;  // one for each module of the text
  std::unordered_map<const Function*, DeferredBody> deferred;
};

enum class Bodies : std::uint8_t { read, deferred };

// Reads the modules of a text, each from its `.version` on; throws Error. The text must outlive the source.
void parse(std::string_view text, Bodies bodies, Source& source);

// Reads a body that was deferred.
Body& parse_body(std::string_view text, Source& source, const DeferredBody& deferred);

// Gives the variables of the module their places.
void lay_out(Module& module);

// Decodes a body into its function; throws Error.
void decode_body(Source& source, Body& body);

}  // namespace nvmlkit::ptx
