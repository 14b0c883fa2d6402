// control.log in the log directory, in the form of NVIDIA's daemon.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace nvmlkit::mps {

class Log {
 public:
  // No lines are kept if the directory cannot be written.
  explicit Log(const std::string& directory);
  void line(const std::string& text);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace nvmlkit::mps
