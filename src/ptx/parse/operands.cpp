// Operands of instructions: names, numbers, addresses, lists.
#include "ptx/parse/parser.hpp"

namespace nvmlkit::ptx {
namespace {

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
      if (!accept(',') && !peek().is(close)) fail_expected(std::string("',' or '") + close + "'");
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

}  // namespace nvmlkit::ptx
