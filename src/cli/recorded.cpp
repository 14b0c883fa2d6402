#include "cli/recorded.hpp"

#include <array>
#include <filesystem>
#include <fstream>

#include "cli/command_error.hpp"
#include "cli/whole_file.hpp"
#include "recording/place.hpp"
#include "recording/read.hpp"
#include "sim/steering/time_words.hpp"

namespace nvmlkit::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{2} << 30;

double seconds_of(const std::string& option, const std::string& text, double otherwise) {
  if (text.empty()) return otherwise;
  const auto seconds = sim::steering::read_seconds(text);
  if (!seconds) throw CommandError(of_argument(option, seconds.error()));
  return *seconds;
}

}  // namespace

std::string read_all(const std::string& path) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) throw CommandError(sim::unusable_file(path, "is a folder"));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw CommandError(sim::unusable_file(path, "cannot be read"));
  std::string out;
  std::array<char, 1 << 16> piece{};
  while (file.read(piece.data(), piece.size()), file.gcount() > 0) {
    out.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (out.size() > kMostBytes) throw CommandError(sim::unusable_file(path, "has more than 2 GiB"));
  }
  return out;
}

void RecordedFiles::declare(Arguments& arguments) {
  arguments
      .argument("FILE", Kind::file, files_,
                "Answers and text of Prometheus, outputs of dcgmi dmon, nvidia-smi dmon and nvidia-smi --query-gpu, "
                "kernel logs, archives of nvidia-bug-report.sh; several are one recording")
      .required();
  arguments.option("--interval", Kind::text, interval_, "The time between samples in a file that has no times, as 1s")
      .label("TIME")
      .default_text("1s");
  arguments.option("--host", Kind::text, host_, "The host, if the recording has several").default_text("the only one");
}

recording::Recording RecordedFiles::read(std::vector<std::string>& formats) const {
  recording::Recording out;
  const recording::ReadOptions options{static_cast<std::int64_t>(seconds_of("--interval", interval_, 1) * 1000)};
  for (const auto& file : files_) {
    const auto format = value_of(recording::read(file, read_all(file), options, out));
    formats.push_back(file + ": " + std::string(recording::name_of(format)));
  }
  accept(recording::keep_host(out, host_));
  recording::put_in_order(out);
  return out;
}

void RecordOptions::declare(Arguments& arguments) {
  auto record = arguments.option("--record", Kind::file, file_,
                                 "Write what dcgm-exporter would have shown, as OpenMetrics for `nvmlkit replay` and "
                                 "promtool");
  record.default_text("none");
  arguments.option("--every", Kind::text, every_, "How often, for --record")
      .label("TIME")
      .default_text("30s")
      .needs(record);
}

std::int64_t RecordOptions::every_ns() const {
  return static_cast<std::int64_t>(seconds_of("--every", every_, 30) * 1e9);
}

void RecordOptions::write(const metrics::Recorder& recorder) const try {
  write_whole(file_, recorder.text());
} catch (const std::filesystem::filesystem_error& error) {
  throw CommandError(sim::unusable_file(error.path1().string(), error.code().message()));
}

}  // namespace nvmlkit::cli
