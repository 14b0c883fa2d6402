#include "driver/cuda/launches/printed.hpp"

namespace nvmlkit::cuda {
namespace {

// The real buffer of this size forgets what is oldest; this one is written out.
constexpr std::size_t kMost = 1 << 20;

}  // namespace

Printed::~Printed() {
  if (file_) std::fclose(file_);
}

std::FILE* Printed::file() {
  const std::lock_guard lock(mutex_);
  if (file_) return file_;
  cookie_io_functions_t calls{};
  calls.write = [](void* self, const char* text, std::size_t size) -> ssize_t {
    try {
      static_cast<Printed*>(self)->keep(text, size);
      return static_cast<ssize_t>(size);
    } catch (...) {  // no memory left for it
      return 0;
    }
  };
  file_ = fopencookie(this, "w", calls);
  if (file_) std::setvbuf(file_, nullptr, _IONBF, 0);
  return file_;
}

void Printed::keep(const char* text, std::size_t size) {
  bool is_full = false;
  {
    const std::lock_guard lock(mutex_);
    text_.append(text, size);
    is_empty_ = false;
    is_full = text_.size() > kMost;
  }
  if (is_full) flush();
}

void Printed::flush() {
  if (is_empty_) return;
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    text.swap(text_);
    is_empty_ = true;
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace nvmlkit::cuda
