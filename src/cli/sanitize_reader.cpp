#include "cli/sanitize_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <utility>

namespace nvmlkit::cli {

SanitizeReader::SanitizeReader(std::string path, std::function<void(const sanitize::Finding&)> take)
    : path_(std::move(path)), take_(std::move(take)), file_(open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the main thread waits for signals
  thread_ = std::thread([this] {
    while (!ends_) {
      read_on();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    read_on();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void SanitizeReader::end() {
  if (!thread_.joinable()) return;
  ends_ = true;
  thread_.join();
  if (file_ >= 0) close(file_);
}

void SanitizeReader::read_on() {
  char bytes[65536];
  for (ssize_t count = 0; (count = read(file_, bytes, sizeof bytes)) > 0;)
    left_.append(bytes, static_cast<std::size_t>(count));
  std::string_view rest = left_;
  for (sanitize::Finding finding; sanitize::read_record(rest, finding);) take_(finding);
  left_.erase(0, left_.size() - rest.size());
}

}  // namespace nvmlkit::cli
