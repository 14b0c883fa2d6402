// What the tests of the importer share: temporary folders, small headers, commands run in this process.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "import/commands.hpp"

namespace nvmlgen::testing_support {

namespace fs = std::filesystem;

class TempDir {
 public:
  TempDir() {
    std::string pattern = (fs::temp_directory_path() / "nvmlgen-import-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~TempDir() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

inline fs::path write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

inline std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

struct Output {
  int code = 0;
  std::string out, err;
};

/// Runs nvmlgen with these arguments.
inline Output nvmlgen_run(std::vector<std::string> arguments) {
  CLI::App app{"nvmlgen"};
  app.require_subcommand(1);
  add_import_commands(app);
  std::vector<const char*> argv{"nvmlgen"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  Output result;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  try {
    app.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::ParseError& e) {
    result.code = cli_exit_code(app, e);
  }
  std::fflush(nullptr);
  result.out = ::testing::internal::GetCapturedStdout();
  result.err = ::testing::internal::GetCapturedStderr();
  return result;
}

inline bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

/// The value of an environment variable that names an existing file, or nothing.
inline std::optional<std::string> file_from_env(const char* name) {
  const char* value = std::getenv(name);
  if (!value || !fs::exists(value)) return std::nullopt;
  return value;
}

}  // namespace nvmlgen::testing_support
