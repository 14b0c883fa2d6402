#include "bindings/call_memory/trace_line.hpp"

#include <charconv>

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

std::string hex_of(const std::string& bytes) {
  return to_hex(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

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

// "1+16:0a0b": behind the pointer at byte 16 of the struct of argument 1, from 0.
std::string nested_text(const NestedBytes& nested) {
  return std::to_string(nested.argument) + '+' + std::to_string(nested.offset) + ':' + hex_of(nested.bytes);
}

std::vector<Token> nested_tokens(const std::vector<NestedBytes>& all) {
  std::vector<Token> out;
  for (const NestedBytes& nested : all) out.emplace_back(nested_text(nested));
  return out;
}

bool take_number(std::string_view& text, char end, std::uint64_t& out) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || rest == text.data() + text.size() || *rest != end) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()) + 1);
  return true;
}

bool read_nested(Reader& reader, std::vector<NestedBytes>& out) {
  std::vector<Token> tokens;
  if (!reader.tokens(tokens)) return false;
  for (const Token& token : tokens) {
    NestedBytes nested;
    std::string_view text = token ? std::string_view(*token) : std::string_view();
    if (!take_number(text, '+', nested.argument) || !take_number(text, ':', nested.offset)) return false;
    auto bytes = from_hex(text);
    if (!bytes) return false;
    nested.bytes = std::move(*bytes);
    out.push_back(std::move(nested));
  }
  return true;
}

bool read_member(Reader& reader, const std::string& key, TraceLine& line) {
  if (key == "f") return reader.string(line.function);
  if (key == "in") return reader.tokens(line.in);
  if (key == "out") return reader.tokens(line.out);
  if (key == "behind") return read_nested(reader, line.behind);
  if (key == "wrote") return read_nested(reader, line.wrote);
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

std::string question_of(const TraceLine& line) {
  const std::string asked = line.function + ' ' + json_array(line.in);
  return line.behind.empty() ? asked : asked + ' ' + json_array(nested_tokens(line.behind));
}

std::string text_of(const TraceLine& line) {
  if (line.version > 0) {
    const std::vector<Token> missing(line.missing.begin(), line.missing.end());
    return "{\"nvmlkit_trace\":" + std::to_string(line.version) + ",\"missing\":" + json_array(missing) + "}";
  }
  std::string out = "{\"f\":" + json_string(line.function) + ",\"in\":" + json_array(line.in);
  if (!line.behind.empty()) out += ",\"behind\":" + json_array(nested_tokens(line.behind));
  out += ",\"r\":" + (line.text ? json_string(*line.text) : std::to_string(line.result));
  out += ",\"out\":" + json_array(line.out);
  if (!line.wrote.empty()) out += ",\"wrote\":" + json_array(nested_tokens(line.wrote));
  return out + "}";
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

}  // namespace nvmlkit::nvml::interpose
