#include "smi/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace nvmlkit::smi {
namespace {

using Command = Options::Command;

constexpr int kUnknownOption = 255, kBadValue = 2;

// Takes words from the front; "--id=0", "--id 0" and "-i 0" are one option.
class Words {
 public:
  explicit Words(const std::vector<std::string>& words) : words_(words) {}

  bool empty() const { return at_ == words_.size(); }
  const std::string& peek() const { return words_[at_]; }
  void skip() { ++at_; }
  std::vector<std::string> rest() {
    const std::vector<std::string> rest(words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
    at_ = words_.size();
    return rest;
  }

  bool flag(std::string_view short_name, std::string_view long_name) {
    if (peek() != short_name && peek() != long_name) return false;
    skip();
    return true;
  }

  // The value of an option; empty text where it has none.
  std::optional<std::string> value(std::string_view short_name, std::string_view long_name) {
    const std::string word = peek();
    if (!long_name.empty() && word.starts_with(long_name) && word.size() > long_name.size() &&
        word[long_name.size()] == '=') {
      skip();
      return word.substr(long_name.size() + 1);
    }
    if (word != short_name && word != long_name) return {};
    skip();
    if (empty() || peek().starts_with("-")) return "";
    const auto value = peek();
    skip();
    return value;
  }

 private:
  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
};

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

Refusal unknown(const std::string& word) {
  return {fmt::format("ERROR: Option {} is not recognized. Please run 'nvidia-smi -h'.\n", word), kUnknownOption};
}

// A command that is a word of its own takes everything behind it.
bool take_subcommand(Words& words, Options& options) {
  const auto& word = words.peek();
  if (word == "topo")
    options.command = Command::topo;
  else if (word == "mig")
    options.command = Command::mig;
  else if (word == "dmon")
    options.command = Command::dmon;
  else if (word == "pmon")
    options.command = Command::pmon;
  else if (word == "nvlink")
    options.command = Command::nvlink;
  else
    return false;
  words.skip();
  options.words = words.rest();
  return true;
}

// The queries of values as CSV, each with its fields.
bool take_query(Words& words, Options& options) {
  constexpr std::pair<std::string_view, Command> kQueries[] = {
      {"--query-gpu", Command::query_gpu},
      {"--query-compute-apps", Command::query_compute_apps},
      {"--query-supported-clocks", Command::query_supported_clocks},
      {"--query-remapped-rows", Command::query_remapped_rows},
      {"--query-retired-pages", Command::query_retired_pages},
  };
  for (const auto& [name, command] : kQueries)
    if (const auto fields = words.value(name, name)) {
      options.command = command;
      options.fields = split(*fields, ',');
      return true;
    }
  return false;
}

bool take_command(Words& words, Options& options) {
  if (words.flag("-h", "--help"))
    options.command = Command::help;
  else if (words.flag("--version", "--version"))
    options.command = Command::version;
  else if (words.flag("-L", "--list-gpus"))
    options.command = Command::list;
  else if (words.flag("-q", "--query") || words.flag("-a", "-a"))
    options.command = Command::query;
  else if (words.flag("-x", "--xml-format"))
    options.xml = true;
  else
    return take_query(words, options);
  return true;
}

// -l and -lms; seconds and milliseconds.
bool take_loop(Words& words, Options& options, std::optional<Refusal>& refusal) {
  constexpr unsigned kDefaultSeconds = 5;
  const auto seconds = words.value("-l", "--loop");
  const auto milliseconds = seconds ? std::nullopt : words.value("-lms", "--loop-ms");
  if (!seconds && !milliseconds) return false;
  const auto& text = seconds ? *seconds : *milliseconds;
  const auto count = text.empty() && seconds ? std::optional(kDefaultSeconds) : number(text);
  if (!count)
    refusal = {"Invalid loop interval \"" + text + "\".", kBadValue};
  else
    options.loop_ms = seconds ? *count * 1000 : *count;
  return true;
}

bool take_value(Words& words, Options& options) {
  if (const auto ids = words.value("-i", "--id"))
    options.ids = split(*ids, ',');
  else if (const auto sections = words.value("-d", "--display"))
    options.sections = *sections;
  else if (const auto format = words.value("--format", "--format"))
    options.format = *format;
  else if (const auto file = words.value("-f", "--filename"))
    options.file = *file;
  else
    return false;
  return true;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

ParsedOptions parse_options(const std::vector<std::string>& arguments) {
  ParsedOptions parsed;
  auto& [options, refusal] = parsed;
  Words words(arguments);
  if (!words.empty() && take_subcommand(words, options)) return parsed;
  while (!words.empty() && !refusal)
    if (!take_command(words, options) && !take_value(words, options) && !take_loop(words, options, refusal))
      refusal = unknown(words.peek());
  if (!refusal && options.sections && options.xml)
    refusal = {
        "Invalid combination of input arguments: --display/-d flags can not be combined with -x/--xml-format flags.",
        kBadValue};
  return parsed;
}

}  // namespace nvmlkit::smi
