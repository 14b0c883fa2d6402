// A driver that lies, for tests: garbage numbers, lengths, texts and codes from a fixed seed.
#pragma once

#include <cstddef>
#include <nvmlkit/session.hpp>
#include <random>

namespace nvmlkit::nvml::test {

// What it may write is what a C function may: the capacity that it was told, nothing more.
class Liar {
 public:
  explicit Liar(unsigned int seed) : random_(seed) {}

  unsigned int number() {
    switch (next() % 6) {
      case 0:
        return 0;
      case 1:
        return ~0U;
      case 2:
        return next() % 8;
      case 3:
        return next() % 5000;
      case 4:
        return 1U << (next() % 32);
      default:
        return next();
    }
  }

  Errc code() {
    switch (random_() % 8) {
      case 0:
      case 1:
      case 2:
        return Errc::success;
      case 3:
      case 4:
        return Errc::insufficient_size;
      case 5:
        return Errc::not_supported;
      case 6:
        return static_cast<Errc>(random_() % 40);  // all the named ones
      default:
        return static_cast<Errc>(1000 + random_() % 100000);  // of a newer driver
    }
  }

  // Often without a terminator.
  void scribble(void* place, std::size_t size) {
    auto* bytes = static_cast<unsigned char*>(place);
    const std::size_t written = size == 0 ? 0 : random_() % (size + 1);
    const bool terminated = random_() % 2;
    for (std::size_t i = 0; i < written; ++i) bytes[i] = static_cast<unsigned char>(random_() | !terminated);
  }

  detail::Outcome answer() {
    ++calls;
    return {code(), symbol_index(&Table::DeviceGetName)};
  }

  bool coin() { return random_() % 2; }

  int calls = 0;

 private:
  unsigned int next() { return static_cast<unsigned int>(random_()); }

  std::mt19937 random_;
};

}  // namespace nvmlkit::nvml::test
