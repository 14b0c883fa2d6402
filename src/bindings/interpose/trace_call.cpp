#include "interpose/trace_call.hpp"

#include <algorithm>
#include <charconv>

namespace nvmlkit::nvml::interpose {
namespace {

using Copy = void (Before::*)(const Region&, unsigned char*) const noexcept;

std::string copied(const Before& before, const Region& region, Copy copy) {
  std::string out(region.size, '\0');
  if (!out.empty()) (before.*copy)(region, reinterpret_cast<unsigned char*>(out.data()));
  return out;
}

std::string hex_of(const std::string& bytes) {
  return to_hex(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

NestedBytes nested_of(const Before& before, const Region& region, Copy copy) {
  return {region.argument, static_cast<std::uint64_t>(region.offset), copied(before, region, copy)};
}

std::string hex_number(Word word) {
  char digits[2 * sizeof word];
  return "0x" + std::string(digits, std::to_chars(digits, digits + sizeof digits, word, 16).ptr);
}

// The memory of a call as a line of version 1 describes it.
class OldCall {
 public:
  bool read(const TraceLine& line, const Shape& shape) {
    if (line.in.size() != shape.arguments.size() || !shape.pointers.empty()) return false;
    for (std::size_t i = 0; i < line.in.size(); ++i)
      if (!add(line.in[i], shape.arguments[i])) return false;
    const Before before(shape, words_.data());
    for (std::size_t i = 0; i < memory_.size(); ++i)
      if (shape.arguments[i].kind == ArgumentKind::keyed_array && words_[i] != 0 &&
          memory_[i].size() < before.room(i) * shape.arguments[i].size)
        return false;
    return true;
  }
  const Word* words() const { return words_.data(); }

 private:
  static constexpr std::size_t kNumber = 16;  // bytes of any number

  bool add(const Token& token, const Argument& argument) {
    std::string& memory = memory_.emplace_back();
    Word& word = words_.emplace_back(0);
    if (argument.kind == ArgumentKind::value || argument.kind == ArgumentKind::handle) {
      if (!token || !token->starts_with("0x")) return false;
      const char* end = token->data() + token->size();
      return std::from_chars(token->data() + 2, end, word, 16).ptr == end;
    }
    if (!token) return true;
    const bool whole = argument.kind == ArgumentKind::input || argument.kind == ArgumentKind::inout;
    if (token->starts_with("s:")) {
      memory = token->substr(2);
    } else if (token->starts_with("b:")) {
      const auto bytes = from_hex(std::string_view(*token).substr(2));
      if (!bytes || (whole && bytes->size() != argument.size)) return false;
      memory = *bytes;
    } else if (*token != "p" || whole) {
      return false;
    }
    memory.reserve(std::max<std::size_t>(memory.size() + 1, kNumber));
    word = reinterpret_cast<Word>(memory.data());
    return true;
  }

  std::vector<std::string> memory_ = reserved();
  std::vector<Word> words_;

  // The strings must not move: words_ points to them.
  static std::vector<std::string> reserved() {
    std::vector<std::string> out;
    out.reserve(kMostArguments);
    return out;
  }
};

}  // namespace

void put_question(TraceLine& line, const Before& before) {
  const Shape& shape = before.shape();
  line.function = shape.name;
  line.in.clear();
  for (std::size_t i = 0; i < shape.arguments.size(); ++i) {
    const ArgumentKind kind = shape.arguments[i].kind;
    const Word word = before.words()[i];
    if (kind == ArgumentKind::value || kind == ArgumentKind::handle)
      line.in.emplace_back(hex_number(word));
    else
      line.in.push_back(word == 0 ? Token() : Token("p"));
  }
  before.inputs(false, [&](const Region& region) {
    const std::string bytes = copied(before, region, &Before::copy_input);
    const bool text = shape.arguments[region.argument].kind == ArgumentKind::text;
    line.in[region.argument] = text ? "s:" + bytes : "b:" + hex_of(bytes);
  });
  before.inputs(true,
                [&](const Region& region) { line.behind.push_back(nested_of(before, region, &Before::copy_input)); });
}

void put_answer(TraceLine& line, const Before& before, Word result) {
  if (before.shape().returns_text) {
    const auto* text = at_word<const char>(result);
    line.text = text ? text : "";
  } else {
    line.result = static_cast<int>(result);
  }
  const int code = static_cast<int>(line.result);
  line.out.assign(before.shape().arguments.size(), Token());
  before.outputs(false, code, [&](const Region& region) {
    line.out[region.argument] = hex_of(copied(before, region, &Before::copy_output));
  });
  before.outputs(true, code,
                 [&](const Region& region) { line.wrote.push_back(nested_of(before, region, &Before::copy_output)); });
}

bool renew_question(TraceLine& line, const Shape& shape) {
  OldCall call;
  if (!call.read(line, shape)) return false;
  line.in.clear();
  put_question(line, Before(shape, call.words()));
  return true;
}

}  // namespace nvmlkit::nvml::interpose
