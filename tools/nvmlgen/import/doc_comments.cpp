#include "doc_comments.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

namespace nvmlgen::headers {

namespace {

bool blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// Words of one comment line without the comment's own marks.
std::vector<std::string> words(std::string_view line) {
  std::vector<std::string> result;
  std::istringstream in{std::string(line)};
  for (std::string word; in >> word;) {
    if (result.empty() && word.find_first_not_of("/*!<") == std::string::npos) continue;
    if (word.size() >= 2 && word.ends_with("*/")) word.resize(word.size() - 2);
    if (!word.empty()) result.push_back(word);
  }
  return result;
}

std::string join_from(const std::vector<std::string>& list, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < list.size(); ++i) text += (i > first ? " " : "") + list[i];
  return text;
}

}  // namespace

DocComments::DocComments(std::string text) : text_(std::move(text)) {
  scan_comments();
  scan_groups();
}

std::string_view DocComments::view(const Comment& comment) const {
  return std::string_view(text_).substr(comment.begin, comment.end - comment.begin);
}

void DocComments::scan_comments() {
  const std::string& t = text_;
  for (std::size_t i = 0; i + 1 < t.size();) {
    if (t[i] == '"' || t[i] == '\'') {
      // A literal may hold comment marks; an apostrophe in skipped text ends at the line's end at the latest.
      const char quote = t[i++];
      while (i < t.size() && t[i] != quote && t[i] != '\n') i += t[i] == '\\' ? 2 : 1;
      ++i;
    } else if (t[i] == '/' && t[i + 1] == '*') {
      const std::size_t end = t.find("*/", i + 2);
      const std::size_t stop = end == std::string::npos ? t.size() : end + 2;
      const bool doc =
          i + 2 < t.size() && (t[i + 2] == '!' || (t[i + 2] == '*' && i + 3 < t.size() && t[i + 3] != '*'));
      comments_.push_back({i, stop, doc && stop > i + 4});
      i = stop;
    } else if (t[i] == '/' && t[i + 1] == '/') {
      const std::size_t stop = std::min(t.find('\n', i), t.size());
      comments_.push_back({i, stop, false});
      i = stop;
    } else {
      ++i;
    }
  }
}

void DocComments::scan_groups() {
  // First the titles, because a group may be added to before it is defined.
  std::map<std::string, std::string> titles;
  struct Step {
    std::size_t offset;
    enum { name, open, close } what;
    std::string id;
  };
  std::vector<Step> steps;
  for (const Comment& comment : comments_) {
    if (!comment.doc) continue;
    std::istringstream lines{std::string(view(comment))};
    for (std::string line; std::getline(lines, line);) {
      for (const auto list = words(line); const std::string& word : list) {
        if (word == "@}" || word == "\\}") {
          steps.push_back({comment.end, Step::close, {}});
          break;  // what follows on the line is a remark
        }
        if (word == "@{" || word == "\\{") steps.push_back({comment.end, Step::open, {}});
        if ((word == "@defgroup" || word == "@addtogroup") && list.size() > 1 && &word == &list.front()) {
          const std::string title = join_from(list, 2);
          if (!title.empty() && (word == "@defgroup" || !titles.contains(list[1]))) titles[list[1]] = title;
          steps.push_back({comment.end, Step::name, list[1]});
        }
      }
    }
  }
  std::vector<std::string> stack;
  std::string pending;
  for (const Step& step : steps) {
    if (step.what == Step::name) pending = step.id;
    if (step.what == Step::open) stack.push_back(titles.contains(pending) ? titles[pending] : pending);
    if (step.what == Step::close && !stack.empty()) stack.pop_back();
    groups_.push_back({step.offset, stack});
  }
}

std::optional<std::string> DocComments::group(std::size_t offset) const {
  const auto after = std::upper_bound(groups_.begin(), groups_.end(), offset,
                                      [](std::size_t at, const GroupMark& mark) { return at < mark.offset; });
  if (after == groups_.begin() || std::prev(after)->stack.empty()) return std::nullopt;
  return std::prev(after)->stack.back();
}

std::size_t DocComments::declaration_begin(std::size_t offset) const {
  std::size_t begin = 0;
  for (std::size_t i = offset; i > 0; --i)
    if (const char c = text_[i - 1]; c == ';' || c == '}' || c == '{') {
      begin = i;
      break;
    }
  // A comment between the previous declaration and this one bounds it more closely.
  const auto after = std::lower_bound(comments_.begin(), comments_.end(), offset,
                                      [](const Comment& comment, std::size_t at) { return comment.begin < at; });
  if (after != comments_.begin()) begin = std::max(begin, std::prev(after)->end);
  return begin;
}

std::string_view DocComments::of_declaration(std::size_t offset) const {
  std::size_t begin = declaration_begin(offset);
  auto it = std::lower_bound(comments_.begin(), comments_.end(), begin,
                             [](const Comment& comment, std::size_t at) { return comment.begin < at; });
  while (it != comments_.begin()) {
    --it;
    const std::string_view between = std::string_view(text_).substr(it->end, begin - it->end);
    if (!blank(between)) return {};
    const std::string_view comment = view(*it);
    // A group mark between a comment and its declaration does not cut the two apart.
    const bool mark_only =
        comment.size() < 80 && (comment.find("@}") != comment.npos || comment.find("@{") != comment.npos);
    if (it->doc && !mark_only) return comment;
    begin = it->begin;
  }
  return {};
}

std::string DocComments::deprecated(std::size_t offset) const {
  const std::size_t begin = declaration_begin(offset);
  const std::string before = text_.substr(begin, offset - begin);
  static const std::regex macro(R"(\bDEPRECATED\s*\(\s*([^)\s]*)\s*\))");
  std::smatch match;
  return std::regex_search(before, match, macro) ? match[1].str() : std::string{};
}

bool DocComments::marked_deprecated(std::size_t offset) const {
  const std::size_t line_end = std::min(text_.find('\n', offset), text_.size());
  const auto it = std::lower_bound(comments_.begin(), comments_.end(), offset,
                                   [](const Comment& comment, std::size_t at) { return comment.begin < at; });
  if (it == comments_.end() || it->begin >= line_end) return false;
  std::string_view comment = view(*it);
  comment.remove_prefix(std::min(comment.find_first_not_of("/*!< \t"), comment.size()));
  return comment.starts_with("Deprecated");
}

std::string DocComments::header_version() const {
  static const std::regex mark(R"(NVML VERSION:\s*([0-9][0-9.]*))");
  std::smatch match;
  if (comments_.empty()) return {};
  const std::string first(view(comments_.front()));
  return std::regex_search(first, match, mark) ? match[1].str() : std::string{};
}

std::vector<std::string> documented_returns(std::string_view comment) {
  static const std::regex item(R"(^[\s/*]*-\s*(?:[\\@]ref\s+)?(NVML_(?:SUCCESS|ERROR_[A-Z0-9_]+))\b)");
  std::vector<std::string> codes;
  std::istringstream lines{std::string(comment)};
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_search(line, match, item) && std::find(codes.begin(), codes.end(), match[1].str()) == codes.end())
      codes.push_back(match[1].str());
  return codes;
}

std::string documented_product(std::string_view comment) {
  // Each rule that applies adds its word, in the order of the text; the vague "all" only stands alone.
  struct Rule {
    std::regex pattern;
    std::string word;  ///< empty: the architecture in the match, and newer
  };
  static const std::vector<Rule> rules{
      {std::regex(
           R"(For (Fermi|Kepler|Maxwell|Pascal|Volta|Turing|Ampere|Ada|Hopper|Blackwell) (?:&tm;? )?or newer fully)"),
       ""},
      {std::regex(R"(For (Fermi|Kepler) &tm; or newer non-GeForce)"), "-non-geforce+"},
      {std::regex(R"(and (Maxwell) or newer GeForce)"), "-geforce+"},
      {std::regex(R"(that are (Maxwell) or [Nn]ewer)"), ""},
      {std::regex(R"(Some (Kepler) devices supported)"), "-some"},
      {std::regex(R"(For from the (Kepler) or newer)"), ""},
      {std::regex(R"(GPU is not (Hopper) or newer)"), ""},
      {std::regex(R"(For products from the (Fermi) family)"), "-only"},
      {std::regex(R"(For (Blackwell) &tm;? GB20x; or newer)"), "-gb20x+"},
      {std::regex(R"(For all discrete products with dedicated fans)"), "discrete-fans"},
      {std::regex(R"(For all cuda-capable discrete products with fans)"), "cuda-discrete-fans"},
      {std::regex(R"(For S-class products)"), "s-class"},
      {std::regex(R"(RUBIN_OR_NEWER%)"), "rubin+"},
      {std::regex(R"(For GK110 )"), "gk110"},
      {std::regex(R"(For all products with an inforom)"), "all-inforom"},
      {std::regex(R"(For all fully supported products)"), "fully-supported"},
      {std::regex(R"(For all products[.\s])"), "all"}};
  const std::string text(comment);
  std::map<std::ptrdiff_t, std::string> found;
  for (const Rule& rule : rules) {
    std::smatch match;
    if (!std::regex_search(text, match, rule.pattern)) continue;
    std::string word = rule.word;
    if (match.size() > 1 && match[1].matched) {
      std::string name = match[1].str();
      name.front() = static_cast<char>(name.front() - 'A' + 'a');
      word = name + (word.empty() ? "+" : word);
    }
    if (word == "all" && !found.empty()) continue;
    // A family that is out of the range of all others stands last.
    found.emplace(word.ends_with("-only") ? static_cast<std::ptrdiff_t>(text.size()) : match.position(), word);
  }
  std::string result;
  for (const auto& [place, word] : found) result += (result.empty() ? "" : " ") + word;
  return result;
}

}  // namespace nvmlgen::headers
