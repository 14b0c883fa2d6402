// `-L`, `mig -lgip` and `mig -lgipp`.
#include <algorithm>
#include <cmath>

#include "sim/text/numbers.hpp"
#include "smi_log/tables.hpp"
#include "smi_log/units.hpp"

namespace nvmlkit::smi_log {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const auto end = std::min(text.find_first_of(" \t"), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

// What stands in "(UUID: ...)" at the end of a line; empty where it does not.
std::string_view uuid_at_end(std::string_view text) {
  constexpr std::string_view kMark = "(UUID: ";
  const auto at = text.rfind(kMark);
  if (at == std::string_view::npos || !text.ends_with(')')) return {};
  return text.substr(at + kMark.size(), text.size() - at - kMark.size() - 1);
}

// "MIG 1c.3g.20gb  Device  0: (UUID: MIG-...)"
bool read_listed_mig(std::string_view text, ListedGpu& gpu) {
  const auto words = words_of(text.substr(0, text.find(':')));
  const auto uuid = uuid_at_end(text);
  if (words.size() != 4 || words[0] != "MIG" || words[2] != "Device" || uuid.empty()) return false;
  const auto index = whole_number(words[3]);
  if (!index) return false;
  gpu.mig.try_emplace(*index, ListedMig{words[1], std::string(uuid)});
  return true;
}

// Memory that nvidia-smi prints in GiB with two decimals; instances have a multiple of 32 MiB.
std::optional<std::uint64_t> memory_of(const std::string& gib) {
  const auto thousandths = read_value(gib, Unit::milli, {});
  const auto value = thousandths ? sim::text::number_of<std::uint64_t>(*thousandths) : std::nullopt;
  if (!value) return {};
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(*value) * 1024 / 1000 / 32)) * 32;
}

// The words of a row between its bars.
std::vector<std::string> row_of(std::string_view line) {
  auto text = trim(line);
  if (!text.starts_with('|')) return {};
  text.remove_prefix(1);
  if (text.ends_with('|')) text.remove_suffix(1);
  return words_of(text);
}

// In the first row GPU, MIG, name, id, free/total, GiB, P2P, SM, DEC, ENC; in the second CE, JPEG, OFA.
std::optional<ListedProfile> profile_of(const Place& place, const std::vector<std::string>& first,
                                        const std::vector<std::string>& second) {
  if (first.size() != 10) return {};
  const auto slash = first[4].find('/');
  const auto memory = memory_of(first[5]);
  if (slash == std::string::npos || !memory) return {};
  const auto id = whole_number(first[3]), instances = whole_number(first[4].substr(slash + 1)),
             sm = whole_number(first[7]), dec = whole_number(first[8]), enc = whole_number(first[9]);
  if (!id || !instances || !sm || !dec || !enc) return {};
  ListedProfile out{place, first[2], *id, *instances, *memory, first[6] == "Yes", *sm, *dec, *enc, {}, {}, {}};
  if (second.size() == 3) {
    out.ce = whole_number(second[0]);
    out.jpeg = whole_number(second[1]);
    out.ofa = whole_number(second[2]);
  }
  return out;
}

}  // namespace

std::size_t read_listing(const std::string& file, std::span<const Line> lines, Tables& tables) {
  std::size_t used = 0;
  while (used < lines.size()) {
    const auto title = trim(lines[used].text);
    const auto colon = title.find(':');
    const auto index = number_behind(title.substr(0, colon), "GPU");
    const auto uuid = uuid_at_end(title);
    if (!index || uuid.empty()) break;
    const auto name = trim(title.substr(colon + 1, title.rfind("(UUID: ") - colon - 1));
    ListedGpu gpu{{file, lines[used].number}, std::string(name), std::string(uuid), {}};
    for (++used; used < lines.size() && read_listed_mig(trim(lines[used].text), gpu);) ++used;
    tables.listing.try_emplace(*index, std::move(gpu));
  }
  return used;
}

std::size_t read_mig_profiles(const std::string& file, std::span<const Line> lines, Tables& tables) {
  if (lines.front().text.find("| GPU instance profiles:") == std::string_view::npos) return 0;
  std::size_t used = 1;
  for (; used < lines.size(); ++used) {
    const auto text = trim(lines[used].text);
    if (!text.starts_with('|') && !text.starts_with('+')) break;
    const auto first = row_of(text);
    if (first.size() < 2 || first[1] != "MIG") continue;
    const auto second = used + 1 < lines.size() ? row_of(lines[used + 1].text) : std::vector<std::string>();
    auto profile = profile_of({file, lines[used].number}, first, second);
    const auto gpu = whole_number(first[0]);
    if (profile && gpu)
      tables.mig_profiles[*gpu].push_back(std::move(*profile));
    else
      tables.unreadable.push_back(Place{file, lines[used].number}.text() +
                                  ": left out: expected the line of a GPU instance profile");
  }
  return used;
}

std::size_t read_mig_placements(const std::string& file, std::span<const Line> lines, Tables& tables) {
  std::size_t used = 0;
  for (; used < lines.size(); ++used) {
    // GPU 0 Profile ID 19 Placements: {0,1,2}:1
    const auto text = trim(lines[used].text);
    const auto words = words_of(text.substr(0, text.find('{')));
    if (words.size() < 6 || words[0] != "GPU" || words[2] != "Profile" || words[3] != "ID" ||
        !words[5].starts_with("Placement"))
      break;
    const auto open = text.find('{'), close = text.find("}:");
    const auto gpu = whole_number(words[1]), id = whole_number(words[4]);
    const auto size = close == std::string_view::npos ? std::nullopt : whole_number(trim(text.substr(close + 2)));
    ListedPlacement placement;
    bool good = gpu && id && size && open < close;
    for (std::size_t at = open + 1; good && at < close;) {
      const auto end = std::min(text.find(',', at), close);
      const auto start = whole_number(trim(text.substr(at, end - at)));
      good = start.has_value();
      if (good) placement.starts.push_back(*start);
      at = end + 1;
    }
    if (!good) {
      tables.unreadable.push_back(Place{file, lines[used].number}.text() +
                                  ": left out: expected placements such as {0,2,4}:2");
      continue;
    }
    placement.size = *size;
    tables.mig_placements[*gpu].try_emplace(*id, std::move(placement));
  }
  return used;
}

}  // namespace nvmlkit::smi_log
