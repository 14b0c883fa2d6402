// The text format of Prometheus, OpenMetrics, and what promtool prints of a block.
#include <cmath>
#include <set>

#include "recording/lines.hpp"
#include "recording/read.hpp"
#include "recording/series.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::recording {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text[0])) text.remove_prefix(1);
}

// The value of a label behind its first quote, up to the quote that ends it.
std::optional<std::string> quoted_value(std::string_view& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return out;
    }
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      out += text[i] == 'n' ? '\n' : text[i];
    } else {
      out += text[i];
    }
  }
  return {};
}

// Behind the brace.
bool read_labels(std::string_view& text, Series& series) {
  while (true) {
    skip_blanks(text);
    if (text.starts_with('}')) {
      text.remove_prefix(1);
      return true;
    }
    const auto equals = text.find_first_of("=\"}");
    if (equals == std::string_view::npos || text[equals] != '=') return false;
    const std::string key(trimmed(text.substr(0, equals)));
    text.remove_prefix(equals + 1);
    skip_blanks(text);
    if (key.empty() || !text.starts_with('"')) return false;
    text.remove_prefix(1);
    auto value = quoted_value(text);
    if (!value) return false;
    if (key == "__name__")
      series.name = std::move(*value);
    else
      series.labels.emplace_back(key, std::move(*value));
    skip_blanks(text);
    if (text.starts_with(',')) text.remove_prefix(1);
  }
}

bool read_series(std::string_view& text, Series& series) {
  const auto end = text.find_first_of("{ \t");
  if (end == std::string_view::npos) return false;
  series.name = text.substr(0, end);
  text.remove_prefix(end);
  skip_blanks(text);
  if (!text.starts_with('{')) return !series.name.empty();
  text.remove_prefix(1);
  return read_labels(text, series) && !series.name.empty();
}

// Seconds in OpenMetrics, milliseconds elsewhere: which of them shows in the size.
std::optional<std::int64_t> stamp_of(std::string_view text) {
  const auto number = sim::text::number_of<double>(text);
  if (!number || !std::isfinite(*number) || std::fabs(*number) > 1e16) return {};
  const bool seconds = std::fabs(*number) < 1e11;
  return std::llround(seconds ? *number * 1000 : *number);
}

class Lines {
 public:
  Lines(const std::string& file, const ReadOptions& options, Recording& out)
      : file_(file), options_(options), out_(out) {}

  Expected<void> take(const TextLine& line) {
    auto rest = trimmed(line.text);
    if (rest.empty() || rest.starts_with('#')) return {};
    Series series;
    const auto whole = rest;
    if (!read_series(rest, series)) return wrong(line, "NAME{LABEL=\"VALUE\"} NUMBER");
    // What follows a # is an exemplar.
    const auto words = words_between_blanks(rest.substr(0, rest.find('#')));
    if (words.empty() || words.size() > 2) return wrong(line, "a number and at most a time behind the labels");
    const auto value = number_of(words[0]);
    if (!value) return wrong(line, "a number behind the labels");
    const auto target = target_of(series, out_);
    if (!target) return {};
    const auto at = words.size() > 1 ? stamp_of(words[1]) : scrape_time(whole.substr(0, whole.size() - rest.size()));
    if (!at) return wrong(line, "a time in seconds or milliseconds");
    out_.dated |= words.size() > 1;
    out_.add(*at, target->gpu, *target->name, *value);
    return {};
  }

 private:
  detail::unexpected<sim::Problem> wrong(const TextLine& line, std::string expected) const {
    return sim::fail(sim::wrong_value(std::move(expected), sim::quote(line.text)).at({file_, line.number}));
  }

  static std::optional<double> number_of(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    return sim::text::number_of<double>(text);
  }

  // Several scrapes behind one another: a series that comes again begins the next one.
  std::int64_t scrape_time(std::string_view series) {
    if (!seen_.emplace(series).second) {
      seen_.clear();
      seen_.emplace(series);
      ++scrape_;
    }
    return scrape_ * options_.interval_ms;
  }

  const std::string& file_;
  const ReadOptions& options_;
  Recording& out_;
  std::set<std::string, std::less<>> seen_;
  std::int64_t scrape_ = 0;
};

}  // namespace

Expected<void> read_prometheus_text(const std::string& file, std::string_view text, const ReadOptions& options,
                                    Recording& out) {
  Lines lines(file, options, out);
  LineReader reader(text);
  for (TextLine line; reader.next(line);)
    if (auto taken = lines.take(line); !taken) return taken;
  return {};
}

}  // namespace nvmlkit::recording
