// Notices that a machine is down, or that another one has its name.
#pragma once

#include <sys/stat.h>

#include <string>

namespace nvmlkit::cli {

class UpCheck {
 public:
  explicit UpCheck(std::string path) : path_(std::move(path)) { good_ = stat(path_.c_str(), &first_) == 0; }
  bool is_up() const {
    struct stat now {};
    return good_ && stat(path_.c_str(), &now) == 0 && now.st_ino == first_.st_ino && now.st_dev == first_.st_dev;
  }

 private:
  std::string path_;
  struct stat first_ {};
  bool good_;
};

}  // namespace nvmlkit::cli
