// Variables of PTX and their initial values.
#include <bit>
#include <cstring>

#include "ptx/parse/parser.hpp"

namespace nvmlkit::ptx {
namespace {

// What one module may ask for, so that a wrong number is an error of its line and not of the host's memory.
constexpr std::uint64_t kLargest = std::uint64_t{1} << 40;
constexpr std::uint64_t kLargestInitial = std::uint64_t{1} << 30;

}  // namespace

// What follows the state space: .align 16 .v4 .b8 name[64].
Variable Parser::variable(Space space, Linkage linkage) {
  Variable v;
  v.space = space;
  v.line = peek().line;
  v.linkage = linkage;
  v.part = static_cast<std::uint32_t>(source_.parts.size() - 1);
  std::uint64_t count = 1;
  std::uint32_t align = 0;
  while (peek().kind == TokenKind::dotted) {
    const auto name = take().text;
    if (name == "align") {
      const auto number = static_cast<std::uint64_t>(integer());
      if (!std::has_single_bit(number) || number > 4096) fail("an alignment that is no power of two up to 4096");
      align = static_cast<std::uint32_t>(number);
    } else if (name == "attribute") {
      v.is_managed = attributes() || v.is_managed;
    } else if (name == "v2" || name == "v4") {
      count = name == "v2" ? 2 : 4;
    } else if (name == "ptr") {  // .ptr .global .align 16: about what a parameter points to
      while (peek().kind == TokenKind::dotted)
        if (take().is_dotted("align")) integer();
    } else if (name == "texref" || name == "samplerref" || name == "surfref") {
      v.type = Type::u64;  // the handle of what it is bound to lies there
      v.reference = name == "texref" ? Reference::texture : name == "surfref" ? Reference::surface : Reference::sampler;
    } else if (const auto type = type_named(name)) {
      v.type = *type;
    } else {
      fail_unknown("type", name);
    }
  }
  if (v.type == Type::none || v.type == Type::pred) fail("a variable without type");
  if (size_of(v.type) == 0) fail("a variable of a type that is smaller than a byte");
  if (peek().is('_') || peek().kind == TokenKind::word) v.name = std::string(word("a name"));
  v.align = align ? align : static_cast<std::uint32_t>(size_of(v.type) * count);
  bool sized = true;
  while (accept('[')) {
    if (accept(']')) {
      sized = false;
      continue;
    }
    const auto number = static_cast<std::uint64_t>(integer());
    if (number > kLargest || count * number > kLargest) fail("a variable that is too large");
    count *= number;
    expect(']');
  }
  v.size = sized ? count * size_of(v.type) : 0;
  return v;
}

void Parser::initial_values(Variable& v, std::uint64_t& at) {
  if (accept('{')) {
    if (++depth_ > 16) fail("lists within lists");
    while (!accept('}')) {
      initial_values(v, at);
      if (!accept(',') && !peek().is('}')) fail_expected("',' or '}'");
    }
    --depth_;
    return;
  }
  std::uint64_t size = size_of(v.type);
  if (at + size > (v.size ? v.size : kLargestInitial)) fail("more initial values than " + v.name + " has places");
  if (v.initial.size() < at + size) v.initial.resize(at + size);
  std::uint64_t value = 0;
  const bool minus = accept('-');
  const auto& token = peek();
  if (token.kind == TokenKind::integer) {
    value = take().value;
    if (minus) value = 0 - value;
    if (accept('(')) {  // 0xFF(symbol): one byte of an address
      fail("bytes of addresses as initial values are not simulated");
    }
  } else if (token.kind == TokenKind::real32 || token.kind == TokenKind::real64) {
    const bool narrow = token.kind == TokenKind::real32;
    const double real =
        narrow ? std::bit_cast<float>(static_cast<std::uint32_t>(token.value)) : std::bit_cast<double>(token.value);
    take();
    value = size == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(minus ? -real : real))
                      : std::bit_cast<std::uint64_t>(minus ? -real : real);
  } else {
    auto symbol = word("an initial value");
    bool generic = false;
    if (symbol == "generic" && accept('(')) {
      generic = true;
      symbol = word("a name");
    }
    Relocation r{at, std::string(symbol), 0, static_cast<std::uint8_t>(size), generic};
    const bool inside = generic && (peek().is('+') || peek().is('-'));
    if (generic && !inside) expect(')');
    if (accept('+')) r.addend = integer();
    if (inside) expect(')');
    v.relocations.push_back(std::move(r));
  }
  std::memcpy(v.initial.data() + at, &value, size < 8 ? size : 8);
  at += size;
}

void Parser::initializer(Variable& v) {
  std::uint64_t at = 0;
  initial_values(v, at);
  if (v.size == 0) v.size = at;
}

// A name means its definition, also where a declaration follows it.
void Parser::keep_variable(Variable made) {
  if (known_) return void(known_variable());
  auto& kept = module_->variables.emplace_back(std::move(made));
  if (declared_) declared_->push_back(&kept);
  auto& named = names_->variables[kept.name];
  if (declared_) renamed_.emplace_back(kept.name, named);
  if (!named || !kept.is_extern()) named = &kept;
}

void Parser::module_variables(Space space, Linkage linkage) {
  auto made = variable(space, linkage);
  while (true) {
    auto next = made;
    if (accept('=')) initializer(made);
    keep_variable(std::move(made));
    if (!accept(',')) break;
    next.size = size_of(next.type);
    next.name = std::string(word("a name"));
    made = std::move(next);
  }
  expect(';');
}

}  // namespace nvmlkit::ptx
