#include "interpose/trace_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "interpose/word.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// The part of JSON that traces are made of: objects with strings, integers and arrays of strings and nulls.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool take(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool at_end() {
    skip_space();
    return rest_.empty();
  }

  bool peek(char c) {
    skip_space();
    return !rest_.empty() && rest_.front() == c;
  }

  bool string(std::string& out) {
    out.clear();
    if (!take('"')) return false;
    while (!rest_.empty() && rest_.front() != '"') {
      char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\\' && !escape(c)) return false;
      out += c;
    }
    return take('"');
  }

  bool integer(std::int64_t& out) {
    skip_space();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  bool tokens(std::vector<Token>& out) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      if (peek('n')) {
        if (rest_.substr(0, 4) != "null") return false;
        rest_.remove_prefix(4);
        out.emplace_back();
      } else if (std::string text; string(text)) {
        out.emplace_back(std::move(text));
      } else {
        return false;
      }
    } while (take(','));
    return take(']');
  }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r'))
      rest_.remove_prefix(1);
  }

  // What stands behind a backslash: \" \\ and \u00XX, which is all that json_string writes.
  bool escape(char& out) {
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '"' || c == '\\' || c == '/') return out = c, true;
    if (c != 'u' || rest_.size() < 4 || rest_.substr(0, 2) != "00") return false;
    const int high = digit_of(rest_[2]), low = digit_of(rest_[3]);
    if (high < 0 || low < 0) return false;
    out = static_cast<char>(high * 16 + low);
    rest_.remove_prefix(4);
    return true;
  }

  std::string_view rest_;
};

bool read_member(Reader& reader, const std::string& key, TraceLine& line) {
  if (key == "f") return reader.string(line.function);
  if (key == "in") return reader.tokens(line.in);
  if (key == "out") return reader.tokens(line.out);
  if (key == "r" && reader.peek('"')) return reader.string(line.text.emplace());
  if (key == "r") return reader.integer(line.result);
  if (key == "nvmlkit_trace") {
    std::int64_t version = 0;
    if (!reader.integer(version)) return false;
    line.version = static_cast<int>(version);
    return true;
  }
  if (key != "missing") return false;
  std::vector<Token> names;
  if (!reader.tokens(names)) return false;
  for (auto& name : names) line.missing.push_back(name.value_or(""));
  return true;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out.append({'\\', c});
    else if (byte < 0x20)
      out.append("\\u00").append(to_hex(&byte, 1));
    else
      out += c;
  }
  return out + '"';
}

std::string json_array(const std::vector<Token>& tokens) {
  std::string out = "[";
  for (std::size_t i = 0; i < tokens.size(); ++i)
    out.append(i ? "," : "").append(tokens[i] ? json_string(*tokens[i]) : "null");
  return out + "]";
}

std::string to_hex(const unsigned char* bytes, std::size_t size) {
  std::string out;
  out.reserve(size * 2);
  for (std::size_t i = 0; i < size; ++i)
    out.append({"0123456789abcdef"[bytes[i] >> 4], "0123456789abcdef"[bytes[i] & 15]});
  return out;
}

std::optional<std::string> from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit_of(hex[i]), low = digit_of(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

std::optional<TraceLine> parse_trace_line(std::string_view text) {
  Reader reader(text);
  TraceLine line;
  if (!reader.take('{')) return std::nullopt;
  do {
    std::string key;
    if (!reader.string(key) || !reader.take(':') || !read_member(reader, key, line)) return std::nullopt;
  } while (reader.take(','));
  if (!reader.take('}') || !reader.at_end()) return std::nullopt;
  return line;
}

std::vector<std::size_t> counts_of(const Call& call) {
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < call.arguments().size(); ++i) counts.push_back(elements_of(call, i));
  return counts;
}

std::vector<Token> encode_inputs(const Call& call) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < call.arguments().size(); ++i) {
    const Argument& argument = call.signature().arguments[i];
    const Word word = call.arguments()[i];
    char digits[2 * sizeof word];
    switch (argument.kind) {
      case ArgumentKind::value:
      case ArgumentKind::handle:
        tokens.emplace_back("0x" + std::string(digits, std::to_chars(digits, digits + sizeof digits, word, 16).ptr));
        continue;
      default:
        break;
    }
    if (word == 0) {
      tokens.emplace_back();
      continue;
    }
    switch (argument.kind) {
      case ArgumentKind::text:
        tokens.emplace_back(std::string("s:") + from_word<const char*>(word));
        break;
      case ArgumentKind::input:
      case ArgumentKind::inout:
        tokens.emplace_back("b:" + to_hex(bytes_at(word), argument.size));
        break;
      case ArgumentKind::keyed_array:
        tokens.emplace_back("b:" + to_hex(bytes_at(word), argument.size * elements_of(call, i)));
        break;
      default:
        tokens.emplace_back("p");
    }
  }
  return tokens;
}

std::size_t bytes_written(const Call& call, std::size_t index, int result, const std::vector<std::size_t>& counts) {
  const Argument& argument = call.signature().arguments[index];
  const Word word = call.arguments()[index];
  const bool pointer = argument.kind != ArgumentKind::value && argument.kind != ArgumentKind::handle;
  if (!pointer || word == 0) return 0;
  const bool succeeded = result == 0;
  std::size_t elements = elements_of(call, index);
  if (argument.length >= 0) {
    // A count in and out says after the call how many there are, which may be more than there was room for.
    const auto kind = call.signature().arguments[static_cast<std::size_t>(argument.length)].kind;
    if (kind == ArgumentKind::inout) elements = std::min(elements, counts[index]);
  }
  switch (argument.kind) {
    case ArgumentKind::inout:
      return argument.size;
    case ArgumentKind::output:
      return succeeded ? argument.size : 0;
    case ArgumentKind::text_out: {
      const std::size_t room = argument.length >= 0 ? counts[index] : argument.size;
      const std::size_t length = succeeded ? ::strnlen(from_word<const char*>(word), room) : 0;
      return succeeded ? std::min(length + 1, room) : 0;
    }
    case ArgumentKind::array:
    case ArgumentKind::keyed_array:
      return succeeded ? elements * argument.size : 0;
    default:
      return 0;
  }
}

}  // namespace nvmlkit::nvml::interpose
