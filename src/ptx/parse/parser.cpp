#include "ptx/parse/parser.hpp"

#include <algorithm>
#include <cstdlib>

#include "ptx/parse/link.hpp"

namespace nvmlkit::ptx {
namespace {

// Of sm_90a, say, 90.
int architecture_of(const std::string& target) {
  const auto digits = target.find_first_of("0123456789");
  return digits == std::string::npos ? 0 : std::atoi(target.c_str() + digits);
}

}  // namespace

Token Parser::take() {
  const Token out = ahead_[0];
  ahead_[0] = ahead_[1];
  ahead_[1] = lexer_.next();
  return out;
}

void Parser::go_to(std::size_t at, int line) {
  lexer_.seek(at, line);
  ahead_[0] = lexer_.next();
  ahead_[1] = lexer_.next();
}

std::size_t Parser::place() const {
  const auto kind = peek().kind;
  if (kind == TokenKind::end) return text_.size();
  const bool has_mark = kind == TokenKind::dotted || kind == TokenKind::string;  // in front of its text
  return static_cast<std::size_t>(peek().text.data() - text_.data()) - (has_mark ? 1 : 0);
}

void Parser::fail_expected(const std::string& expected) const {
  const auto got = (peek().kind == TokenKind::dotted ? "." : "") + std::string(peek().text);
  throw Error{peek().line, "expected " + expected + ", got '" + got + "'", ErrorKind::syntax, got};
}

void Parser::fail_unknown(const char* what, std::string_view name, const char* where) const {
  const auto dotted = std::string(1, '.').append(name);
  throw Error{peek().line, std::string("unknown ").append(what) + " " + dotted + where, ErrorKind::syntax, dotted};
}

bool Parser::accept(char symbol) {
  if (!peek().is(symbol)) return false;
  take();
  return true;
}

void Parser::expect(char symbol) {
  if (!accept(symbol)) fail_expected(std::string("'") + symbol + "'");
}

std::string_view Parser::word(const char* what) {
  if (peek().kind != TokenKind::word) fail_expected(what);
  return take().text;
}

std::int64_t Parser::integer() {
  const bool minus = accept('-');
  if (peek().kind != TokenKind::integer) fail_expected("a number");
  const auto value = static_cast<std::int64_t>(take().value);
  return minus ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value)) : value;
}

// To the end of a directive that means nothing here: the next ';', brace or line. Braces belong to the body around it,
// as skip_body() counts them.
void Parser::skip_statement() {
  const int line = peek().line;
  while (peek().kind != TokenKind::end && peek().line == line && !peek().is('{') && !peek().is('}'))
    if (take().is(';')) return;
}

void Parser::skip_block() {
  while (!peek().is('{') && peek().kind != TokenKind::end) take();
  int depth = 0;
  do {
    if (peek().is('{')) ++depth;
    if (peek().is('}')) --depth;
    if (peek().kind == TokenKind::end) fail_end("a block without end");
    take();
  } while (depth > 0);
}

bool Parser::attributes() {
  bool is_managed = false;
  expect('(');
  while (!accept(')')) {
    if (peek().kind == TokenKind::end) fail_end("an .attribute without end");
    is_managed = take().is_dotted("managed") || is_managed;
  }
  return is_managed;
}

void Parser::module_directive() {
  auto linkage = Linkage::local;
  while (true) {
    if (peek().kind != TokenKind::dotted) fail_expected("a directive");
    const auto name = take().text;
    if (name == "extern" || name == "visible" || name == "weak" || name == "common") {
      linkage = name == "extern"    ? Linkage::external
                : name == "visible" ? Linkage::visible
                : name == "weak"    ? Linkage::weak
                                    : Linkage::common;
    } else if (name == "attribute") {  // between .global and the type it stands in variable()
      fail(".attribute before a state space");
    } else if (name == "version") {
      if (peek().kind != TokenKind::real64) fail_expected("a version");
      const auto text = take().text;
      const auto dot = text.find('.');
      if (text.size() > 6) fail("expected a version");
      if (module_->version != 0) names_ = &source_.parts.emplace_back();
      module_->version = std::atoi(std::string(text.substr(0, dot)).c_str()) * 10 +
                         std::atoi(std::string(text.substr(dot + 1)).c_str());
      names_->version = module_->version;
      return;
    } else if (name == "target") {
      names_->target = word("a target");
      module_->target = std::string(names_->target);
      names_->architecture = architecture_of(module_->target);
      return skip_statement();
    } else if (name == "address_size") {
      if (integer() != 64) fail("only 64-bit addresses are simulated");
      return;
    } else if (name == "entry" || name == "func") {
      return function(name == "entry", linkage);
    } else if (name == "global" || name == "const" || name == "shared") {
      const auto space = name == "global" ? Space::global : name == "const" ? Space::constant : Space::shared;
      return module_variables(space, linkage);
    } else if (name == "section") {
      return skip_block();
    } else if (name == "alias") {
      return alias();
    } else if (name == "file" || name == "loc" || name == "pragma") {
      return skip_statement();
    } else {
      fail_unknown("directive", name);
    }
  }
}

void Parser::parameters(std::vector<Variable>& into) {
  expect('(');
  std::uint64_t offset = 0;
  while (!accept(')')) {
    if (!peek().is_dotted("param") && !peek().is_dotted("reg")) fail_expected(".param");
    take();
    auto made = variable(Space::param, Linkage::local);
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
      f.least_blocks = std::max(f.least_blocks, 1u);
      if (name == "reqntid")
        for (int i = 0; i < 3; ++i) f.required[i] = sizes[i];
    } else if (name == "minnctapersm") {
      f.least_blocks = static_cast<unsigned>(integer());
    } else if (name == "maxnreg") {
      f.most_registers = static_cast<unsigned>(integer());
    } else if (name == "maxnctapersm") {
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
      attributes();
    } else {
      fail_unknown("directive", name, " of a function");
    }
  }
}

Function& Parser::named_function(std::string_view name) {
  if (const auto at = names_->functions.find(name); at != names_->functions.end()) return *at->second;
  auto& made = module_->functions.emplace_back();
  made.name = std::string(name);
  made.number = static_cast<std::uint32_t>(module_->functions.size() - 1);
  made.part = static_cast<std::uint32_t>(source_.parts.size() - 1);
  made.architecture = architecture_of(module_->target);
  names_->functions[made.name] = &made;
  return made;
}

void Parser::alias() {
  const auto name = word("the name of a function");
  expect(',');
  names_->aliases.push_back({name, word("the name of a function"), peek().line});
  expect(';');
}

void Parser::function(bool entry, Linkage linkage) {
  const int line = peek().line;
  if (peek().is_dotted("attribute")) {
    take();
    attributes();
  }
  std::vector<Variable> results, formals;
  if (peek().is('(')) parameters(results);
  const auto name = word("the name of a function");
  if (peek().is('(')) parameters(formals);
  auto* const known = &named_function(name);
  known->is_entry = entry;
  known->line = line;
  if (!known->is_defined) {
    known->results = std::move(results);
    known->parameters = std::move(formals);
    known->linkage = linkage;
  }
  function_directives(*known);
  if (accept(';')) return;
  if (linkage == Linkage::external || known->is_defined) fail("a second body of " + known->name);
  known->is_defined = true;
  if (bodies_ == Bodies::deferred)
    defer_body(*known);
  else
    body(*known);
}

void Parser::all(Bodies bodies) {
  bodies_ = bodies;
  names_ = &source_.parts.emplace_back();
  try {
    go_to(0, 1);
    while (peek().kind != TokenKind::end)
      if (!accept(';')) module_directive();
  } catch (Error& e) {
    if (source_.parts.size() > 1) e.part = source_.parts.size();
    throw;
  }
  if (module_->version == 0) throw Error{1, "no .version: this is no PTX"};
}

void parse(std::string_view text, Bodies bodies, Source& source) { Parser(text, source).all(bodies); }

}  // namespace nvmlkit::ptx
