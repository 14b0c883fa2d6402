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

namespace {

constexpr int kBadInput = 2;

constexpr std::pair<std::string_view, std::string_view> kShort[] = {
    {"-c", "--launch-count"}, {"-s", "--launch-skip"}, {"-v", "--version"}, {"-h", "--help"}};

constexpr std::array<std::string_view, 24> kHere = {"--tool",
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
                                                    "--prefix"};

// A word may stand behind them: `yes` in older versions, none in newer ones.
constexpr std::array<std::string_view, 2> kSwitches = {"--xml", "--track-unused-memory"};

// How NVIDIA's tool runs on a GPU. Here they mean nothing: with a value, and without one.
constexpr std::array<std::string_view, 11> kOfGpu = {"--launch-timeout",
                                                     "--max-connections",
                                                     "--port",
                                                     "--injection-path",
                                                     "--injection-path32",
                                                     "--num-cuda-barriers",
                                                     "--padding",
                                                     "--racecheck-num-workers",
                                                     "--nvtx",
                                                     "--racecheck-report",
                                                     "--force-synchronization-limit"};
constexpr std::array<std::string_view, 3> kSwitchesOfGpu = {"--force-blocking-launches", "--kill", "--support-32bit"};

std::string_view name_of(std::string_view option) { return option.substr(0, option.find('=')); }

template <std::size_t n>
bool holds(const std::array<std::string_view, n>& all, std::string_view option) {
  return std::ranges::find(all, option) != all.end();
}

int refuse(std::string_view option) {
  std::fprintf(stderr, "compute-sanitizer: %.*s is not there in nvmlkit; see nvmlkit sanitize --help\n",
               static_cast<int>(option.size()), option.data());
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
    const bool is_help = word == "--help";
    if (!is_help && !holds(kHere, name_of(word))) return refuse(name_of(word));
    words.push_back(word);
    const auto next = std::string_view(at + 1 < argc ? argv[at + 1] : "");
    if (holds(kSwitches, word) && next != "yes" && next != "no")
      words.emplace_back("yes");
    else if (!is_help && word.find('=') == word.npos && at + 1 < argc)
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
