#include "ptxas/options.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string_view>

#include "ptx/parse/head.hpp"

namespace nvmlkit::ptxas {
namespace {

enum class Takes : std::uint8_t { nothing, value, number, truth };

struct Option {
  std::string_view longer, shorter;  // behind two dashes, behind one
  Takes takes = Takes::nothing;
};

constexpr Option kOptions[] = {
    {"Ofast-compile", "Ofc", Takes::value},
    {"allow-expensive-optimizations", "allow-expensive-optimizations", Takes::truth},
    {"compile-as-tools-patch", "astoolspatch"},
    {"compile-only", "c"},
    {"compiler-annotations", "annotate"},
    {"def-load-cache", "dlcm", Takes::value},
    {"def-store-cache", "dscm", Takes::value},
    {"device-debug", "g"},
    {"device-function-maxrregcount", "func-maxrregcount", Takes::value},
    {"device-stack-protector", "device-stack-protector", Takes::truth},
    {"disable-optimizer-constants", "disable-optimizer-consts"},
    {"disable-warnings", "w"},
    {"dont-merge-basicblocks", "no-bb-merge"},
    {"entry", "e", Takes::value},
    {"extensible-whole-program", "ewp"},
    {"fmad", "fmad", Takes::truth},
    {"force-load-cache", "flcm", Takes::value},
    {"force-store-cache", "fscm", Takes::value},
    {"g-tensor-memory-access-check", "g-tmem-access-check"},
    {"generate-line-info", "lineinfo"},
    {"gno-tensor-memory-access-check", "gno-tmem-access-check"},
    {"gpu-name", "arch", Takes::value},
    {"help", "h"},
    {"input-as-string", "ias", Takes::value},
    {"legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior"},
    {"list-version", "version-ls"},
    {"machine", "m", Takes::number},
    {"make-errors-visible-at-exit", "make-errors-visible-at-exit"},
    {"maxntid", "maxntid", Takes::value},
    {"maxrregcount", "maxrregcount", Takes::value},
    {"minnctapersm", "minnctapersm", Takes::number},
    {"opt-level", "O", Takes::number},
    {"optimize-float-atomics", "opt-fp-atomics"},
    {"options-file", "optf", Takes::value},
    {"output-file", "o", Takes::value},
    {"override-directive-values", "override-directive-values"},
    {"position-independent-code", "pic", Takes::truth},
    {"preserve-relocs", "preserve-relocs"},
    {"register-usage-level", "regUsageLevel", Takes::number},
    {"return-at-end", "ret-end"},
    {"sanitize", "sanitize", Takes::value},
    {"sp-bounds-check", "sp-bounds-check"},
    {"split-compile", "split-compile", Takes::number},
    {"suppress-async-bulk-multicast-advisory-warning", "suppress-async-bulk-multicast-advisory-warning"},
    {"suppress-debug-info", "suppress-debug-info"},
    {"suppress-double-demote-warning", "suppress-double-demote-warning"},
    {"suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info"},
    {"suppress-stack-size-warning", "suppress-stack-size-warning"},
    {"verbose", "v"},
    {"version", "V"},
    {"warn-on-double-precision-use", "warn-double-usage"},
    {"warn-on-local-memory-usage", "warn-lmem-usage"},
    {"warn-on-spills", "warn-spills"},
    {"warning-as-error", "Werror"},
};

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

struct Found {
  const Option* option;
  std::string_view value;  // behind '=', or right behind a letter
  bool has_value;
};

// `argument` without its first dash: -gpu-name=sm_90, arch=sm_90, O3.
Found find(std::string_view argument) {
  const bool is_long = argument.starts_with('-');
  const auto bare = argument.substr(is_long ? 1 : 0);
  const auto equals = std::min(bare.find('='), bare.size());
  const auto name = bare.substr(0, equals);
  for (const auto& option : kOptions)
    if (name == (is_long ? option.longer : option.shorter))
      return {&option, equals < bare.size() ? bare.substr(equals + 1) : "", equals < bare.size()};
  for (const auto& option : kOptions)
    if (!is_long && option.takes == Takes::number && option.shorter.size() == 1 && bare.starts_with(option.shorter))
      return {&option, bare.substr(1), true};
  throw Fatal("Unknown option " + in_quotes(argument.substr(0, argument.find('='))));
}

void check(const Option& option, std::string_view value) {
  if (option.takes == Takes::truth && value != "true" && value != "false")
    throw Fatal(in_quotes(value) + ": expected true or false");
  if (option.takes == Takes::number && !is_number(value)) throw Fatal(in_quotes(value) + ": expected a number");
  if (option.longer == "machine" && value != "64")
    throw Fatal("Value " + in_quotes(value) + " is not defined for option 'machine'");
}

// sm_90a, or compute_90: nothing is assembled for such, only read.
void check_gpu(std::string_view name) {
  const auto end = name.ends_with('a') || name.ends_with('f') ? name.size() - 1 : name.size();
  const auto digits = std::min(name.find('_'), name.size());
  const auto kind = name.substr(0, digits);
  const auto number = digits < end ? name.substr(digits + 1, end - digits - 1) : "";
  const bool is_kind = kind == "sm" || kind == "compute" || kind == "lto";
  if (!is_kind || !is_number(number) || !ptx::is_architecture(ptx::architecture_of("sm_" + std::string(number))))
    throw Fatal("Value " + in_quotes(name) + " is not defined for option 'gpu-name'");
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::vector<std::string> words_of_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw Fatal("Options file " + in_quotes(name) + " could not be opened");
  return split(std::string(std::istreambuf_iterator<char>(file), {}), " \t\r\n");
}

struct Reader {
  Options options;

  void take(std::string_view name, std::string value) {
    if (name == "gpu-name") {
      check_gpu(value);
      options.gpu = std::move(value);
    } else if (name == "output-file") {
      options.output = std::move(value);
    } else if (name == "input-as-string") {
      options.texts.push_back(std::move(value));
    } else if (name == "entry") {
      for (auto& entry : split(value, ",")) options.entries.push_back(std::move(entry));
    } else if (name == "options-file") {
      read(words_of_file(value));
    } else if (name == "compile-only") {
      options.is_relocatable = true;
    } else if (name == "verbose") {
      options.is_verbose = true;
    } else if (name == "help") {
      options.task = Task::print_usage;
    } else if (name == "version") {
      options.task = Task::print_version;
    } else if (name == "list-version") {
      options.task = Task::print_versions;
    }
  }

  void read(const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string_view argument = arguments[i];
      if (!argument.starts_with('-') || argument == "-") {
        options.inputs.emplace_back(argument);
        continue;
      }
      const auto [option, value, has_value] = find(argument.substr(1));
      if (option->takes == Takes::nothing) {
        if (has_value) throw Fatal("no argument expected after " + in_quotes(argument.substr(0, argument.find('='))));
        take(option->longer, "");
        continue;
      }
      if (!has_value && (i + 1 == arguments.size() || option->shorter == "O"))
        throw Fatal("argument expected after " + in_quotes(argument));
      std::string given(has_value ? value : std::string_view(arguments[++i]));
      check(*option, given);
      take(option->longer, std::move(given));
    }
  }
};

}  // namespace

Options options_of(const std::vector<std::string>& arguments) {
  Reader reader;
  reader.read(arguments);
  auto& options = reader.options;
  if (options.task == Task::assemble && options.inputs.empty() && options.texts.empty())
    options.task = Task::print_usage;
  return std::move(options);
}

}  // namespace nvmlkit::ptxas
