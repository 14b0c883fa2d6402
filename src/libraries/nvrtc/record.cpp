#include "libraries/nvrtc/record.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace nvmlkit::nvrtc {
namespace {

// Changed with the form of the files or with what ours asks of the compiler.
constexpr std::string_view kForm = "nvrtc 1";

// Options that change nothing but the code, and files that are not read without an #include. A name stands for itself,
// for NAME=VALUE, and, of one letter, for a value right behind it.
constexpr std::array kKnown = {"--gpu-architecture",
                               "-arch",
                               "--device-c",
                               "-dc",
                               "--device-w",
                               "-dw",
                               "--relocatable-device-code",
                               "-rdc",
                               "--extensible-whole-program",
                               "-ewp",
                               "--device-debug",
                               "-G",
                               "--generate-line-info",
                               "-lineinfo",
                               "--dopt",
                               "-dopt",
                               "--ptxas-options",
                               "-Xptxas",
                               "--maxrregcount",
                               "-maxrregcount",
                               "--ftz",
                               "-ftz",
                               "--prec-sqrt",
                               "-prec-sqrt",
                               "--prec-div",
                               "-prec-div",
                               "--fmad",
                               "-fmad",
                               "--use_fast_math",
                               "-use_fast_math",
                               "--extra-device-vectorization",
                               "-extra-device-vectorization",
                               "--modify-stack-limit",
                               "-modify-stack-limit",
                               "--jump-table-density",
                               "-jtd",
                               "--define-macro",
                               "-D",
                               "--undefine-macro",
                               "-U",
                               "--include-path",
                               "-I",
                               "--std",
                               "-std",
                               "--builtin-move-forward",
                               "-builtin-move-forward",
                               "--builtin-initializer-list",
                               "-builtin-initializer-list",
                               "--disable-warnings",
                               "-w",
                               "--restrict",
                               "-restrict",
                               "--device-as-default-execution-space",
                               "-default-device",
                               "--device-int128",
                               "-device-int128",
                               "--device-float128",
                               "-device-float128",
                               "--optimization-info",
                               "-opt-info",
                               "--display-error-number",
                               "-err-no",
                               "--no-display-error-number",
                               "-no-err-no",
                               "--diag-error",
                               "-diag-error",
                               "--diag-suppress",
                               "-diag-suppress",
                               "--diag-warn",
                               "-diag-warn",
                               "--minimal",
                               "-minimal",
                               "--split-compile",
                               "-split-compile"};

bool is_known(std::string_view option) {
  if (!option.starts_with('-')) return true;  // the value of the one before
  return std::any_of(kKnown.begin(), kKnown.end(), [&](std::string_view name) {
    if (!option.starts_with(name)) return false;
    const bool is_letter = name == "-D" || name == "-U" || name == "-I";
    return option.size() == name.size() || option[name.size()] == '=' || is_letter;
  });
}

// Lines that a backslash joins are one.
std::string joined(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto rest = text.substr(i);
    if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n"))
      i += rest[1] == '\n' ? 1 : 2;
    else
      out += text[i];
  }
  return out;
}

std::string_view without_space(std::string_view text) {
  for (;;) {
    const auto begin = text.find_first_not_of(" \t\v\f\r");
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    if (!text.starts_with("/*")) return text;
    const auto end = text.find("*/", 2);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 2);
  }
}

// Whether `text`, right behind a # or what stands for it, includes something that is none of the headers.
bool includes_other(std::string_view text, const Source& source) {
  text = without_space(text);
  if (text.starts_with("embed") || text.starts_with("import")) return true;
  if (!text.starts_with("include")) return false;
  text.remove_prefix(std::string_view("include").size());
  if (text.starts_with("_next")) return true;
  text = without_space(text);
  const char end = text.starts_with('<') ? '>' : text.starts_with('"') ? '"' : '\0';
  const auto length = end ? text.substr(1).find(end) : std::string_view::npos;
  if (length == std::string_view::npos) return true;
  const auto name = text.substr(1, length);
  return std::none_of(source.headers.begin(), source.headers.end(),
                      [&](const auto& header) { return header.first == name; });
}

bool depends_on_more(const std::string& raw, const Source& source) {
  const std::string text = joined(raw);
  for (const char* word : {"__DATE__", "__TIME__", "__TIMESTAMP__", "__has_include", "__has_embed", "\?\?/"})
    if (text.find(word) != std::string::npos) return true;
  const std::string_view all = text;
  for (const std::string_view mark : {"#", "%:", "\?\?="})
    for (auto at = all.find(mark); at != std::string_view::npos; at = all.find(mark, at + mark.size()))
      if (includes_other(all.substr(at + mark.size()), source)) return true;
  return false;
}

void add(std::string& out, std::string_view bytes) {
  out += std::to_string(bytes.size());
  out += ':';
  out += bytes;
}

std::optional<std::string> take(std::string_view& bytes) {
  const auto colon = bytes.find(':');
  std::size_t size = 0;
  if (colon == std::string_view::npos) return std::nullopt;
  const auto number = std::from_chars(bytes.data(), bytes.data() + colon, size);
  if (number.ec != std::errc() || number.ptr != bytes.data() + colon || size > bytes.size() - colon - 1)
    return std::nullopt;
  std::string out(bytes.substr(colon + 1, size));
  bytes.remove_prefix(colon + 1 + size);
  return out;
}

}  // namespace

std::optional<std::string> content_of(const Source& source, const std::vector<std::string>& options,
                                      std::string_view compiler) {
  if (!std::all_of(options.begin(), options.end(), is_known) || depends_on_more(source.text, source))
    return std::nullopt;
  std::string out;
  for (const std::string_view part : {kForm, compiler, std::string_view(source.name), std::string_view(source.text)})
    add(out, part);
  for (const auto& [name, text] : source.headers) {
    if (depends_on_more(text, source)) return std::nullopt;
    add(out, name);
    add(out, text);
  }
  // Counts keep a list apart from the next one.
  for (const auto* list : {&options, &source.expressions}) {
    add(out, std::to_string(list->size()));
    for (const std::string& text : *list) add(out, text);
  }
  return out;
}

std::string written(const Compiled& compiled) {
  std::string out;
  add(out, kForm);
  add(out, compiled.ptx);
  add(out, compiled.log);
  for (const auto& [expression, name] : compiled.names) {
    add(out, expression);
    add(out, name);
  }
  return out;
}

std::optional<Compiled> read(std::string_view bytes) {
  if (take(bytes) != kForm) return std::nullopt;
  auto ptx = take(bytes), log = take(bytes);
  if (!ptx || !log || ptx->empty() || log->empty()) return std::nullopt;
  Compiled out{std::move(*ptx), std::move(*log), {}};
  while (!bytes.empty()) {
    auto expression = take(bytes), name = take(bytes);
    if (!expression || !name) return std::nullopt;
    out.names.emplace(std::move(*expression), std::move(*name));
  }
  return out;
}

}  // namespace nvmlkit::nvrtc
