#include "ptx/parser.hpp"

#include <algorithm>
#include <cstdlib>

namespace nvmlkit::ptx {

Token Parser::take() {
  const Token out = ahead_[0];
  ahead_[0] = ahead_[1];
  ahead_[1] = lexer_.next();
  return out;
}

bool Parser::accept(char symbol) {
  if (!peek().is(symbol)) return false;
  take();
  return true;
}

void Parser::expect(char symbol) {
  if (!accept(symbol)) fail(std::string("expected '") + symbol + "', got '" + std::string(peek().text) + "'");
}

std::string_view Parser::word(const char* what) {
  if (peek().kind != TokenKind::word)
    fail(std::string("expected ") + what + ", got '" + std::string(peek().text) + "'");
  return take().text;
}

std::int64_t Parser::integer() {
  const bool minus = accept('-');
  if (peek().kind != TokenKind::integer) fail("expected a number, got '" + std::string(peek().text) + "'");
  const auto value = static_cast<std::int64_t>(take().value);
  return minus ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value)) : value;
}

// To the end of a directive that means nothing here: the next ';', or the next line.
void Parser::skip_statement() {
  const int line = peek().line;
  while (peek().kind != TokenKind::end && peek().line == line && !peek().is('}'))
    if (take().is(';')) return;
}

void Parser::skip_block() {
  while (!peek().is('{') && peek().kind != TokenKind::end) take();
  int depth = 0;
  do {
    if (peek().is('{')) ++depth;
    if (peek().is('}')) --depth;
    if (peek().kind == TokenKind::end) fail("a block without end");
    take();
  } while (depth > 0);
}

void Parser::module_directive() {
  bool is_extern = false, is_managed = false;
  while (true) {
    if (peek().kind != TokenKind::dotted) fail("expected a directive, got '" + std::string(peek().text) + "'");
    const auto name = take().text;
    if (name == "extern") {
      is_extern = true;
    } else if (name == "visible" || name == "weak" || name == "common") {
      continue;
    } else if (name == "attribute") {  // between .global and the type it stands in variable()
      fail(".attribute before a state space");
    } else if (name == "version") {
      if (peek().kind != TokenKind::real64) fail("expected a version");
      const auto text = take().text;
      const auto dot = text.find('.');
      if (text.size() > 6) fail("expected a version");
      module_->version = std::atoi(std::string(text.substr(0, dot)).c_str()) * 10 +
                         std::atoi(std::string(text.substr(dot + 1)).c_str());
      return;
    } else if (name == "target") {
      module_->target = std::string(word("a target"));
      return skip_statement();
    } else if (name == "address_size") {
      if (integer() != 64) fail("only 64-bit addresses are simulated");
      return;
    } else if (name == "entry" || name == "func") {
      return function(name == "entry", is_extern);
    } else if (name == "global" || name == "const" || name == "shared") {
      const auto space = name == "global" ? Space::global : name == "const" ? Space::constant : Space::shared;
      return module_variables(space, is_extern, is_managed);
    } else if (name == "section") {
      return skip_block();
    } else if (name == "file" || name == "loc" || name == "pragma" || name == "alias") {
      return skip_statement();
    } else {
      fail("unknown directive ." + std::string(name));
    }
  }
}

void Parser::parameters(std::vector<Variable>& into) {
  expect('(');
  std::uint64_t offset = 0;
  while (!accept(')')) {
    if (!peek().is_dotted("param") && !peek().is_dotted("reg")) fail("expected .param");
    take();
    auto made = variable(Space::param, false, false);
    offset = aligned(offset, made.align);
    made.offset = offset;
    offset += made.size;
    into.push_back(std::move(made));
    accept(',');
  }
}

void Parser::function_directives(Function& f) {
  while (peek().kind == TokenKind::dotted) {
    const auto name = take().text;
    if (name == "maxntid" || name == "reqntid") {
      unsigned sizes[3] = {1, 1, 1};
      for (auto& size : sizes) {
        size = static_cast<unsigned>(integer());
        if (!accept(',')) break;
      }
      f.max_threads = sizes[0] * sizes[1] * sizes[2];
      if (name == "reqntid")
        for (int i = 0; i < 3; ++i) f.required[i] = sizes[i];
    } else if (name == "minnctapersm" || name == "maxnreg" || name == "maxnctapersm") {
      integer();
    } else if (name == "maxclusterrank") {
      f.max_cluster = static_cast<unsigned>(integer());
    } else if (name == "explicitcluster") {
      f.needs_cluster = true;
    } else if (name == "noreturn" || name == "blocksareclusters" || name == "unified") {
      continue;
    } else if (name == "reqnctapercluster") {
      std::fill_n(f.cluster, 3, 1u);
      for (auto& size : f.cluster) {
        size = static_cast<unsigned>(integer());
        if (!accept(',')) break;
      }
    } else if (name == "pragma") {
      skip_statement();
    } else if (name == "attribute") {
      expect('(');
      while (!accept(')')) take();
    } else {
      fail("unknown directive ." + std::string(name) + " of a function");
    }
  }
}

void Parser::function(bool entry, bool is_extern) {
  const int line = peek().line;
  if (peek().is_dotted("attribute")) {
    take();
    expect('(');
    while (!accept(')')) take();
  }
  std::vector<Variable> results, formals;
  if (peek().is('(')) parameters(results);
  const auto name = word("the name of a function");
  if (peek().is('(')) parameters(formals);
  const auto at = module_->function_named.find(name);
  auto* const known = at != module_->function_named.end() ? at->second : &module_->functions.emplace_back();
  if (at == module_->function_named.end()) {
    known->name = std::string(name);
    known->number = static_cast<std::uint32_t>(module_->functions.size() - 1);
    module_->function_named[known->name] = known;
  }
  known->is_entry = entry;
  known->line = line;
  if (!known->is_defined) {
    known->results = std::move(results);
    known->parameters = std::move(formals);
  }
  function_directives(*known);
  if (accept(';')) return;
  if (is_extern || known->is_defined) fail("a second body of " + known->name);
  known->is_defined = true;
  body(*known);
}

Source Parser::run() {
  source_.module = std::make_unique<Module>();
  module_ = source_.module.get();
  while (peek().kind != TokenKind::end)
    if (!accept(';')) module_directive();
  return std::move(source_);
}

Source parse(std::string_view text) { return Parser(text).run(); }

std::unique_ptr<Module> load(std::string_view text) {
  auto source = parse(text);
  if (source.module->version == 0) throw Error{1, "no .version: this is no PTX"};
  decode(source);
  return std::move(source.module);
}

}  // namespace nvmlkit::ptx
