#include "ptx/compile/plan.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "ptx/module.hpp"

namespace nvmlkit::ptx {
namespace {

constexpr std::string_view kTitle = "nvmlkit plan ";
constexpr std::size_t kDigits = 64;  // of the name of a file
// In place of one.
constexpr std::string_view kNoMore = "no_more", kNone = "none", kVisited = "visited";

// Takes a word off the front.
std::string_view word(std::string_view& line) {
  const auto out = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), out.size() + 1));
  return out;
}

bool number(std::string_view& line, std::uint32_t& out) {
  const auto digits = word(line);
  const auto* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, out);
  return error == std::errc() && at == end;
}

bool is_name(std::string_view text) {
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool piece_of(std::string_view line, const Function& function, PlannedPiece& out) {
  std::uint32_t lanes = 0;
  if (!number(line, out.at) || !number(line, lanes) || !number(line, out.places) || !number(line, out.idle))
    return false;
  out.lanes = lanes == 0 ? CodeFor::all_lanes : CodeFor::some_lanes;
  const auto file = word(line);
  if (file == kVisited) {  // so many, in place of places
    out.kind = Planned::visited;
    out.visits = std::exchange(out.places, 0);
  } else if (file == kNoMore)
    out.kind = Planned::no_more;
  else if (file == kNone)
    out.kind = Planned::none;
  else
    out.file = file;
  return line.empty() && out.at < function.code.size() && lanes <= 1 && out.places <= function.code.size() &&
         (out.kind != Planned::piece || is_name(file));
}

std::string_view word_of(const PlannedPiece& piece) {
  switch (piece.kind) {
    case Planned::no_more:
      return kNoMore;
    case Planned::none:
      return kNone;
    case Planned::visited:
      return kVisited;
    case Planned::piece:
      break;
  }
  return piece.file;
}

}  // namespace

std::string text_of(const Plan& plan, std::string_view key) {
  std::string out(kTitle);
  out.append(key).append("\n");
  for (const auto& piece : plan) {
    const auto count = piece.kind == Planned::visited ? piece.visits : piece.places;
    for (const auto value : {piece.at, static_cast<std::uint32_t>(piece.lanes), count, piece.idle})
      out.append(std::to_string(value)).append(" ");
    out.append(word_of(piece)).append("\n");
  }
  return out;
}

std::optional<Plan> plan_of(std::string_view text, std::string_view key, const Function& function) {
  const auto title = std::string(kTitle) + std::string(key) + '\n';
  if (!text.starts_with(title)) return std::nullopt;
  text.remove_prefix(title.size());
  Plan out;
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos || out.size() == kMostPlanned) return std::nullopt;
    if (!piece_of(text.substr(0, end), function, out.emplace_back())) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  return out;
}

Plan merged(Plan own, const Plan& others, const std::vector<std::string>& known) {
  for (const auto& piece : others)
    if (piece.kind == Planned::piece && std::ranges::find(known, piece.file) == known.end()) own.push_back(piece);
  Plan out;
  std::map<std::pair<std::uint32_t, CodeFor>, std::size_t> counts;
  for (const bool is_in_use : {true, false})  // the others only where there is room
    for (auto& piece : own)
      if ((piece.idle == 0) == is_in_use && piece.idle < kMostIdle && out.size() < kMostPlanned &&
          (piece.kind != Planned::piece || counts[{piece.at, piece.lanes}]++ < kMostPlannedAt))
        out.push_back(piece);
  return out;
}

}  // namespace nvmlkit::ptx
