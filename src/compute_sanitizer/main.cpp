// compute-sanitizer: becomes `nvmlkit sanitize`, which lies beside it.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/problem/names.hpp"

namespace {

constexpr int kBadInput = 2;

constexpr std::pair<std::string_view, std::string_view> kShort[] = {
    {"-c", "--launch-count"}, {"-s", "--launch-skip"}, {"-v", "--version"}, {"-h", "--help"}, {"-q", "--quiet"}};

constexpr auto kHere = std::to_array<std::string_view>({"--tool",
                                                        "--leak-check",
                                                        "--report-api-errors",
                                                        "--destroy-on-device-error",
                                                        "--kernel-name",
                                                        "--kernel-regex",
                                                        "--launch-skip",
                                                        "--launch-count",
                                                        "--target-processes",
                                                        "--error-exitcode",
                                                        "--print-limit",
                                                        "--print-level",
                                                        "--suppressions",
                                                        "--show-backtrace",
                                                        "--log-file",
                                                        "--xml",
                                                        "--save",
                                                        "--schedule",
                                                        "--schedules",
                                                        "--track-unused-memory",
                                                        "--strip-paths",
                                                        "--backtrace-short",
                                                        "--check-exit-code",
                                                        "--prefix",
                                                        "--kernel-name-exclude",
                                                        "--kernel-regex-exclude",
                                                        "--demangle",
                                                        "--num-callers-host",
                                                        "--num-callers-device",
                                                        "--require-cuda-init",
                                                        "--language",
                                                        "--read",
                                                        "--racecheck-detect-level",
                                                        "--suppress"});
// Without a value.
constexpr auto kFlags =
    std::to_array<std::string_view>({"--quiet", "--print-session-details", "--save-session-details"});
// What is always done, so that only this value is taken.
using Always = std::pair<std::string_view, std::string_view>;
constexpr Always kAlways[] = {{"--check-device-heap", "yes"},      {"--check-bulk-copy", "yes"},
                              {"--check-warpgroup-mma", "yes"},    {"--check-api-memory-access", "yes"},
                              {"--racecheck-memcpy-async", "yes"}, {"--initcheck-address-space", "all"}};

// A word may stand behind them: `yes` in older versions, none in newer ones.
constexpr auto kSwitches = std::to_array<std::string_view>({"--xml", "--track-unused-memory"});

// How NVIDIA's tool runs on a GPU. Here they mean nothing: with a value, and without one.
constexpr auto kOfGpu = std::to_array<std::string_view>(
    {"--launch-timeout", "--max-connections", "--port", "--injection-path", "--injection-path32", "--num-cuda-barriers",
     "--padding", "--racecheck-num-workers", "--nvtx", "--racecheck-report", "--force-synchronization-limit"});
constexpr auto kSwitchesOfGpu =
    std::to_array<std::string_view>({"--force-blocking-launches", "--kill", "--support-32bit"});

std::string_view name_of(std::string_view option) { return option.substr(0, option.find('=')); }

template <std::size_t n>
bool holds(const std::array<std::string_view, n>& all, std::string_view option) {
  return std::ranges::find(all, option) != all.end();
}

// The option that is most like it; empty: none is similar.
std::string_view nearest(std::string_view option) {
  std::vector<std::string_view> all;
  const auto add = [&](const auto& known) { all.insert(all.end(), std::begin(known), std::end(known)); };
  add(kHere), add(kFlags), add(kOfGpu), add(kSwitchesOfGpu);
  for (const auto& [known, value] : kAlways) all.push_back(known);
  return nvmlkit::sim::nearest(option, all);
}

int refuse(std::string_view option) {
  const auto similar = nearest(option);
  const auto hint = similar.empty() ? std::string() : ", did you mean " + std::string(similar) + '?';
  std::fprintf(stderr, "compute-sanitizer: %.*s is not there in nvmlkit%s; see nvmlkit sanitize --help\n",
               static_cast<int>(option.size()), option.data(), hint.c_str());
  return kBadInput;
}

int refuse_value(std::string_view option, std::string_view only) {
  std::fprintf(stderr, "compute-sanitizer: %.*s takes only %.*s in nvmlkit\n", static_cast<int>(option.size()),
               option.data(), static_cast<int>(only.size()), only.data());
  return kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto command = (self.parent_path() / "nvmlkit").string();
  std::vector<std::string> words{command, "sanitize"};
  int at = 1;
  for (; at < argc && argv[at][0] == '-' && std::string_view(argv[at]) != "--"; ++at) {
    std::string word = argv[at];
    for (const auto& [name, whole] : kShort)
      if (word == name) word = whole;
    if (word == "--version") {
      std::printf("nvmlkit %s, in place of NVIDIA (R) Compute Sanitizer\n", NVMLKIT_VERSION);
      return 0;
    }
    if (holds(kSwitchesOfGpu, word)) continue;
    if (holds(kOfGpu, name_of(word))) {
      if (word.find('=') == word.npos && at + 1 < argc) ++at;
      continue;
    }
    if (const auto* const always = std::ranges::find(kAlways, name_of(word), &Always::first);
        always != std::end(kAlways)) {
      const auto equal = word.find('=');
      const std::string value = equal != word.npos ? word.substr(equal + 1) : at + 1 < argc ? argv[++at] : "";
      if (value != always->second) return refuse_value(always->first, always->second);
      continue;
    }
    const bool is_alone = word == "--help" || holds(kFlags, word);
    if (!is_alone && !holds(kHere, name_of(word))) return refuse(name_of(word));
    words.push_back(word);
    const auto next = std::string_view(at + 1 < argc ? argv[at + 1] : "");
    if (holds(kSwitches, word) && next != "yes" && next != "no")
      words.emplace_back("yes");
    else if (!is_alone && word.find('=') == word.npos && at + 1 < argc)
      words.emplace_back(argv[++at]);
  }
  words.insert(words.end(), argv + at, argv + argc);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(command.c_str(), arguments.data());
  std::fprintf(stderr, "compute-sanitizer: cannot run %s\n", command.c_str());
  return 1;
}
