// Instructions by chance: of numbers, predicates and conversions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>

namespace nvmlkit::test {

inline constexpr int kNumbers = 8;  // registers of each type

class RandomInstructions {
 public:
  explicit RandomInstructions(std::uint64_t seed) : random_(seed) {}

 protected:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  std::string one_of(std::initializer_list<const char*> words) {
    return words.begin()[pick(static_cast<int>(words.size()))];
  }
  std::string any(const char* kind) { return "%" + std::string(kind) + std::to_string(pick(kNumbers)); }
  // Two registers, not the same.
  std::string two(const char* kind) {
    const int first = pick(kNumbers), second = (first + 1 + pick(kNumbers - 1)) % kNumbers;
    return "%" + std::string(kind) + std::to_string(first) + ", %" + kind + std::to_string(second);
  }
  // The lanes that take part: all in the text, all in a register, each half of the warp by itself.
  std::string set() { return ", " + one_of({"-1", "%t12", "%t12", "%t13"}); }
  std::string of_words();
  std::string of_parts();
  std::string of_reals();
  std::string of_long();
  std::string comparison();
  std::string conversion();
  std::string narrow_conversion();
  std::string choice();
  std::string of_matrices();
  std::string of_flushes();
  std::string conversion_with_flush();
  std::string of_halves();
  std::string conversion_of_halves();

 private:
  std::mt19937_64 random_;
};

}  // namespace nvmlkit::test
