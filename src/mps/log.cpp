#include "mps/log.hpp"

#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <ctime>

namespace nvmlkit::mps {

Log::Log(const std::string& directory) {
  mkdir(directory.c_str(), 0755);
  file_.reset(std::fopen((directory + "/control.log").c_str(), "ae"));
}

void Log::line(const std::string& text) {
  if (!file_) return;
  timeval now{};
  gettimeofday(&now, nullptr);
  tm parts{};
  localtime_r(&now.tv_sec, &parts);
  char time[32];
  std::strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S", &parts);
  std::fprintf(file_.get(), "[%s.%03ld Control %5d] %s\n", time, static_cast<long>(now.tv_usec / 1000),
               static_cast<int>(getpid()), text.c_str());
  std::fflush(file_.get());
}

}  // namespace nvmlkit::mps
