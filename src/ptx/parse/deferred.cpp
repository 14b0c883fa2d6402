// Bodies that are left for later: a quick look finds their end and the variables of the module that they declare.
#include "ptx/parse/parser.hpp"

namespace nvmlkit::ptx {
namespace {

// What a name, a modifier or a dotted word may consist of.
bool is_in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '%' || c == ':';
}

// A directive, and not a modifier of an instruction: ld.shared. Where this is wrong, the long look is taken.
bool declares(std::string_view text, std::size_t at) {
  if (at > 0 && text[at - 1] != ':' && is_in_word(text[at - 1])) return false;  // a label may stand before
  for (const std::string_view space : {".shared", ".global", ".const"}) {
    const auto end = at + space.size();
    if (text.substr(at, space.size()) == space && end < text.size() && !is_in_word(text[end])) return true;
  }
  return false;
}

}  // namespace

// From the '{' to behind the matching '}'.
void Parser::skip_body() {
  auto at = place();
  auto line = peek().line;
  const auto to_behind = [&](std::string_view mark) {
    for (const auto end = std::min(text_.find(mark, at), text_.size()); at < end; ++at) line += text_[at] == '\n';
    at = std::min(at + mark.size(), text_.size());
  };
  for (unsigned depth = 0; at < text_.size();) {
    const char c = text_[at];
    if (c == '.' && declares(text_, at)) {
      go_to(at, line);
      body_directive();
      at = place();
      line = peek().line;
      continue;
    }
    ++at;
    if (c == '\n') {
      ++line;
    } else if (c == '"') {
      to_behind("\"");
    } else if (c == '/' && at < text_.size() && (text_[at] == '/' || text_[at] == '*')) {
      to_behind(text_[at] == '*' ? "*/" : "\n");
      line += text_[at - 1] == '\n';
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return go_to(at, line);
    }
  }
  fail_end("a function without end");
}

// Names of variables lie in the variables: a name goes before its variable does.
void Parser::forget_declared(const std::vector<Variable*>& variables) {
  for (; !renamed_.empty(); renamed_.pop_back()) {
    const auto [name, before] = renamed_.back();
    if (before)
      names_->variables[name] = before;
    else
      names_->variables.erase(name);
  }
  module_->variables.resize(module_->variables.size() - variables.size());
}

void Parser::defer_body(Function& f) {
  if (!peek().is('{')) return body(f);  // which says what is wrong
  auto& deferred = source_.deferred[&f];
  deferred = {&f, place(), peek().line, {}};
  Body scratch;
  scratch.function = &f;
  body_ = &scratch;
  scopes_.assign(1, {});
  scope_numbers_.assign(1, 0);
  declared_ = &deferred.variables;
  renamed_.clear();
  try {
    skip_body();
    declared_ = nullptr;
    body_ = nullptr;
  } catch (const Error&) {  // the long look knows better, or says where it goes wrong
    declared_ = nullptr;
    const auto [function, at, line, variables] = std::move(deferred);
    source_.deferred.erase(&f);
    forget_declared(variables);
    go_to(at, line);
    body(f);
  }
}

Variable& Parser::known_variable() {
  if (next_known_ >= known_->size()) fail("a variable that the first look at the body has missed");
  return *(*known_)[next_known_++];
}

Body& Parser::one_body(const DeferredBody& deferred) {
  known_ = &deferred.variables;
  names_ = &source_.parts[deferred.function->part];
  go_to(deferred.at, deferred.line);
  body(*deferred.function);
  return source_.bodies.back();
}

Body& parse_body(std::string_view text, Source& source, const DeferredBody& deferred) {
  return Parser(text, source).one_body(deferred);
}

}  // namespace nvmlkit::ptx
