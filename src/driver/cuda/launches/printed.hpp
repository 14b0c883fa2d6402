// Output of kernels. As documented, it is printed when the program waits for them.
#pragma once

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>

namespace nvmlkit::cuda {

class Printed {
 public:
  Printed() = default;
  ~Printed();
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;

  // Where kernels write; null where there is no memory for it.
  std::FILE* file();
  // To stdout.
  void flush();

 private:
  void keep(const char* text, std::size_t size);

  std::mutex mutex_;
  std::string text_;
  std::atomic<bool> is_empty_{true};
  std::FILE* file_ = nullptr;
};

}  // namespace nvmlkit::cuda
