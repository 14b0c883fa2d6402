// Bodies of functions: registers, variables, labels, instructions.
#include <bit>

#include "ptx/parse/parser.hpp"

namespace nvmlkit::ptx {
namespace {

constexpr std::uint32_t kMostRegisterBytes = 1u << 29;  // of a warp

// "%r12" is the thirteenth of "%r".
std::string_view without_digits(std::string_view name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name;
}

}  // namespace

const Parser::Entity* Parser::find(std::string_view name, std::uint32_t& index) const {
  const auto prefix = without_digits(name);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto at = scope->find(name); at != scope->end() && at->second.kind != Entity::Kind::range)
      return &at->second;
    if (prefix.size() == name.size() || name.size() - prefix.size() > 7) continue;
    if (const auto at = scope->find(prefix); at != scope->end() && at->second.kind == Entity::Kind::range) {
      index = static_cast<std::uint32_t>(std::atoi(std::string(name.substr(prefix.size())).c_str()));
      if (index < at->second.count) return &at->second;
    }
  }
  return nullptr;
}

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
  body_ = nullptr;
}

void Parser::body_item() {
  const auto& token = peek();
  if (token.kind == TokenKind::end) fail("a function without end");
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
    const auto name = take().text;
    take();
    if (peek().is_dotted("branchtargets") || peek().is_dotted("callprototype") || peek().is_dotted("calltargets")) {
      if (peek().is_dotted("branchtargets")) {
        take();
        Body::Table table{name, {}, scope_numbers_.back()};
        do table.labels.push_back(word("a label"));
        while (accept(','));
        body_->tables.push_back(std::move(table));
        expect(';');
      } else {
        while (!accept(';')) {
          if (peek().kind == TokenKind::end) fail("a function without end");
          take();
        }
      }
      return;
    }
    body_->labels.push_back({scope_numbers_.back(), name, static_cast<std::uint32_t>(body_->statements.size())});
  } else {
    instruction();
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
  fail("unknown directive ." + std::string(name) + " in a function");
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
      fail("unknown type ." + std::string(name));
  }
  if (type == Type::none || (type == Type::pred && width != 1)) fail("a register without type");
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
    if (type != Type::pred) f.registers_32 += count * ((size_of(type) + 3) / 4);
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
    auto& kept = module_->variables.emplace_back(std::move(made));
    scopes_.back()[kept.name] = {Entity::Kind::variable, kept.type, 0, 1, &kept};
    body_->shared.push_back(&kept);
  }
}

Term Parser::name_term(std::string_view name) {
  Term out;
  out.name = name;
  std::uint32_t index = 0;
  if (const auto* entity = find(name, index)) {
    if (entity->kind == Entity::Kind::variable) {
      out.kind = Term::Kind::symbol;
      out.variable = entity->variable;
      return out;
    }
    out.kind = Term::Kind::reg;
    out.type = entity->type;
    const auto size =
        static_cast<std::uint32_t>(entity->type == Type::pred ? sizeof(Mask) : size_of(entity->type) * kLanes);
    if (entity->width == 1) {
      out.offset = entity->offset + index * size;
    } else if (peek().kind == TokenKind::dotted) {  // one element of a vector: %v.x
      const auto element = std::string_view("xyzw").find(take().text);
      if (element >= entity->width) fail("an element that " + std::string(name) + " does not have");
      out.offset = entity->offset + static_cast<std::uint32_t>(element) * size;
    } else {
      Term all;
      all.kind = Term::Kind::vector;
      for (unsigned k = 0; k < entity->width; ++k) {
        out.offset = entity->offset + k * size;
        all.items.push_back(out);
      }
      return all;
    }
    return out;
  }
  if (name[0] == '%' || name == "WARP_SZ") {
    out.kind = Term::Kind::special;
    if (peek().kind == TokenKind::dotted) {  // %tid.x
      const auto part = take().text;
      out.name = std::string_view(name.data(), static_cast<std::size_t>(part.data() + part.size() - name.data()));
    }
    return out;
  }
  if (name == "_") return out;
  out.kind = Term::Kind::symbol;  // of the module, or a label
  if (const auto at = names_->variables.find(name); at != names_->variables.end()) out.variable = at->second;
  out.scope = scope_numbers_.back();
  return out;
}

Term Parser::address() {
  Term out;
  out.kind = Term::Kind::address;
  if (peek().kind == TokenKind::integer || peek().is('-')) {
    out.value = static_cast<std::uint64_t>(integer());
  } else {
    out.items.push_back(name_term(word("an address")));
    out.has_base = true;
    if (accept('+'))
      out.value = static_cast<std::uint64_t>(integer());
    else if (peek().is('-'))
      out.value = static_cast<std::uint64_t>(integer());
    if (++depth_ > 4) fail("lists within lists");
    while (accept(',') && out.items.size() < 4) out.items.push_back(term());  // a texture with its coordinates
    --depth_;
  }
  expect(']');
  return out;
}

Term Parser::term() {
  Term out;
  const auto token = peek();
  if (accept('[')) return address();
  if (accept('!')) {
    out = name_term(word("a predicate"));
    out.negated = true;
    return out;
  }
  if (peek().is('{') || peek().is('(')) {
    const char close = take().is('{') ? '}' : ')';
    out.kind = Term::Kind::vector;
    if (++depth_ > 4) fail("lists within lists");
    while (!accept(close)) {
      if (out.items.size() > 256) fail("too many operands");
      out.items.push_back(term());
      if (!accept(',') && !peek().is(close)) fail(std::string("expected ',' or '") + close + "'");
    }
    --depth_;
    return out;
  }
  if (token.kind == TokenKind::integer || token.is('-')) {
    const bool minus = accept('-');
    if (peek().kind == TokenKind::real32 || peek().kind == TokenKind::real64) {
      const auto real = take();
      out.kind = real.kind == TokenKind::real32 ? Term::Kind::real32 : Term::Kind::real64;
      out.value = real.value ^ (real.kind == TokenKind::real32 ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63);
      return out;
    }
    out.kind = Term::Kind::integer;
    out.value = static_cast<std::uint64_t>(integer());
    if (minus) out.value = 0 - out.value;
    return out;
  }
  if (token.kind == TokenKind::real32 || token.kind == TokenKind::real64) {
    out.kind = token.kind == TokenKind::real32 ? Term::Kind::real32 : Term::Kind::real64;
    out.value = take().value;
    return out;
  }
  out = name_term(word("an operand"));
  if (out.kind == Term::Kind::symbol && (peek().is('+') || peek().is('-'))) {
    accept('+');
    out.value = static_cast<std::uint64_t>(integer());
  }
  if (accept('|')) {
    Term pair;
    pair.kind = Term::Kind::pair;
    pair.items.push_back(std::move(out));
    pair.items.push_back(name_term(word("an operand")));
    return pair;
  }
  return out;
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
    if (!accept(',') && !peek().is(';'))
      fail("expected ',' or ';' in " + std::string(s.opcode) + ", got '" + std::string(peek().text) + "'");
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
