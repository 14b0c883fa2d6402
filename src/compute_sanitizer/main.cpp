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

constexpr std::pair<std::string_view, std::string_view> kShort[] = {{"-c", "--launch-count"}, {"-s", "--launch-skip"}};

constexpr std::array<std::string_view, 20> kHere = {"--tool",
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
                                                    "--track-unused-memory"};

std::string_view name_of(std::string_view option) { return option.substr(0, option.find('=')); }

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
    if (word == "--version") {
      std::printf("nvmlkit %s, in place of NVIDIA (R) Compute Sanitizer\n", NVMLKIT_VERSION);
      return 0;
    }
    for (const auto& [name, whole] : kShort)
      if (word == name) word = whole;
    const bool is_help = word == "--help" || word == "-h";
    if (!is_help && std::ranges::find(kHere, name_of(word)) == kHere.end()) return refuse(name_of(word));
    words.push_back(word);
    if (!is_help && word.find('=') == word.npos && at + 1 < argc) words.emplace_back(argv[++at]);
  }
  words.insert(words.end(), argv + at, argv + argc);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(command.c_str(), arguments.data());
  std::fprintf(stderr, "compute-sanitizer: cannot run %s\n", command.c_str());
  return 1;
}
