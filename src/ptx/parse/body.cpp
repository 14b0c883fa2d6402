// Bodies of functions: registers, variables, labels, instructions.
#include "ptx/lane_bytes.hpp"
#include "ptx/parse/parser.hpp"

namespace nvmlkit::ptx {
namespace {

constexpr std::uint32_t kMostRegisterBytes = 1u << 29;  // of a warp

}  // namespace

void Parser::body(Function& f) {
  auto& made = source_.bodies.emplace_back();
  made.function = &f;
  body_ = &made;
  scopes_.assign(1, {});
  scope_numbers_.assign(1, 0);
  made.outer.assign(1, -1);
  std::uint32_t frame = 0;
  const auto declare = [&](Variable& v) {
    if (f.is_entry) {
      v.space = Space::kernel_param;
      f.kernel_param_bytes = static_cast<std::uint32_t>(v.offset + v.size);
    } else {
      frame = static_cast<std::uint32_t>(aligned(frame, v.align));
      v.offset = frame;
      frame += static_cast<std::uint32_t>(v.size);
    }
    scopes_[0][v.name] = {Entity::Kind::variable, v.type, 0, 1, &v};
  };
  for (auto& v : f.results) declare(v);
  for (auto& v : f.parameters) declare(v);
  f.frame_param_bytes = frame;
  expect('{');
  while (scopes_.size() > 0) body_item();
  f.frame_param_bytes = static_cast<std::uint32_t>(lane_bytes(f.frame_param_bytes));
  body_ = nullptr;
}

void Parser::body_item() {
  const auto& token = peek();
  if (token.kind == TokenKind::end) fail_end("a function without end");
  if (accept(';')) return;
  if (accept('{')) {
    body_->outer.push_back(scope_numbers_.back());
    scope_numbers_.push_back(static_cast<int>(body_->outer.size()) - 1);
    scopes_.emplace_back();
  } else if (accept('}')) {
    scopes_.pop_back();
    scope_numbers_.pop_back();
  } else if (token.kind == TokenKind::dotted) {
    body_directive();
  } else if (token.kind == TokenKind::word && second().is(':')) {
    label();
  } else {
    instruction();
  }
}

// A label, or a list that a name and a colon stand before as well.
void Parser::label() {
  const auto name = take().text;
  take();
  if (peek().is_dotted("branchtargets")) {
    take();
    Body::Table table{name, {}, scope_numbers_.back()};
    do table.labels.push_back(word("a label"));
    while (accept(','));
    body_->tables.push_back(std::move(table));
    expect(';');
  } else if (peek().is_dotted("callprototype") || peek().is_dotted("calltargets")) {
    while (!accept(';')) {
      if (peek().kind == TokenKind::end) fail_end("a function without end");
      if (peek().is('{') || peek().is('}')) fail_expected("';' behind a list of what is called");
      take();
    }
  } else {
    body_->labels.push_back({scope_numbers_.back(), name, static_cast<std::uint32_t>(body_->statements.size())});
  }
}

void Parser::body_directive() {
  const auto name = take().text;
  if (name == "reg") return registers();
  if (name == "local") return body_variables(Space::local);
  if (name == "shared") return body_variables(Space::shared);
  if (name == "param") return body_variables(Space::param);
  if (name == "global") return module_variables(Space::global, Linkage::local);
  if (name == "const") return module_variables(Space::constant, Linkage::local);
  if (name == "loc" || name == "file" || name == "pragma" || name == "section") return skip_statement();
  fail_unknown("directive", name, " in a function");
}

void Parser::registers() {
  Type type = Type::none;
  unsigned width = 1;
  while (peek().kind == TokenKind::dotted) {
    const auto name = take().text;
    if (name == "v2" || name == "v4")
      width = name == "v2" ? 2 : 4;
    else if (const auto known = type_named(name))
      type = *known;
    else
      fail_unknown("type", name);
  }
  if (type == Type::none || (type == Type::pred && width != 1)) fail("a register without type");
  if (size_of(type) == 0) fail("a register of a type that is smaller than a byte");
  auto& f = *body_->function;
  do {
    const auto name = word("a register");
    std::uint32_t count = width;
    bool is_range = false;
    if (width == 1 && accept('<')) {
      const auto number = integer();
      if (number < 0 || number > 1 << 20) fail("too many registers");
      count = static_cast<std::uint32_t>(number);
      is_range = true;
      expect('>');
    }
    const auto size = type == Type::pred ? sizeof(Mask) : size_of(type) * kLanes;
    f.register_bytes = static_cast<std::uint32_t>(aligned(f.register_bytes, size < 64 ? size : 64));
    scopes_.back()[name] = {
        is_range ? Entity::Kind::range : Entity::Kind::reg, type, f.register_bytes, count, nullptr, width};
    if (std::uint64_t{count} * size + f.register_bytes > kMostRegisterBytes) fail("too many registers");
    f.register_bytes += static_cast<std::uint32_t>(count * size);
  } while (accept(','));
  expect(';');
}

void Parser::body_variables(Space space) {
  auto made = variable(space, Linkage::local);
  if (accept('<')) {  // .param .u64 %P<2>; is %P0 and %P1
    const auto count = integer();
    if (count < 0 || count > 1 << 10) fail("too many variables");
    for (std::int64_t k = 0; k < count; ++k) {
      auto one = made;
      one.name += std::to_string(k);
      body_variable(std::move(one));
    }
    expect('>');
  } else {
    body_variable(std::move(made));
  }
  expect(';');
}

void Parser::body_variable(Variable made) {
  auto& f = *body_->function;
  const auto space = made.space;
  auto* const place = space == Space::local ? &f.local_bytes : space == Space::param ? &f.frame_param_bytes : nullptr;
  if (place) {
    made.offset = aligned(*place, made.align);
    if (made.offset + made.size > 1u << 29) fail("a variable that is too large");
    *place = static_cast<std::uint32_t>(made.offset + made.size);
    auto& kept = body_->variables.emplace_back(std::move(made));
    scopes_.back()[kept.name] = {Entity::Kind::variable, kept.type, 0, 1, &kept};
  } else {
    auto& kept = known_ ? known_variable() : module_->variables.emplace_back(std::move(made));
    if (declared_) declared_->push_back(&kept);
    scopes_.back()[kept.name] = {Entity::Kind::variable, kept.type, 0, 1, &kept};
    body_->shared.push_back(&kept);
  }
}

void Parser::instruction() {
  Statement s;
  s.line = peek().line;
  if (accept('@')) {
    s.has_guard = true;
    const bool negated = accept('!');
    s.guard = name_term(word("a predicate"));
    s.guard.negated = negated;
    if (s.guard.kind != Term::Kind::reg || s.guard.type != Type::pred) fail("expected a predicate after '@'");
  }
  s.opcode = word("an instruction");
  while (peek().kind == TokenKind::dotted) s.words.push_back(take().text);
  while (!accept(';')) {
    s.terms.push_back(term());
    if (!accept(',') && !peek().is(';')) fail_expected("',' or ';' in " + std::string(s.opcode));
  }
  if (s.opcode == "mov" && !s.words.empty() && (s.words[0] == "v2" || s.words[0] == "v4")) return vector_move(s);
  body_->statements.push_back(std::move(s));
}

// One move for each element.
void Parser::vector_move(const Statement& s) {
  const std::size_t width = s.words[0] == "v2" ? 2 : 4;
  for (const auto& term : s.terms)
    if (term.kind != Term::Kind::vector || term.items.size() != width) fail("expected vectors of mov");
  if (s.terms.size() != 2) fail("mov with " + std::to_string(s.terms.size()) + " operands");
  const auto &to = s.terms[0].items, &from = s.terms[1].items;
  for (std::size_t k = 0; k < width; ++k) {
    for (auto later = from.begin() + static_cast<std::ptrdiff_t>(k) + 1; later != from.end(); ++later)
      if (later->kind == Term::Kind::reg && later->offset == to[k].offset) fail("a mov of a vector into itself");
    auto one = s;
    one.words.erase(one.words.begin());
    one.terms = {to[k], from[k]};
    body_->statements.push_back(std::move(one));
  }
}

}  // namespace nvmlkit::ptx
