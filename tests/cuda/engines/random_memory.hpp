// Accesses to memory by chance: of a thread's own words, of the block's, of local memory, with guards.
#pragma once

#include <string>

#include "random_instructions.hpp"

namespace nvmlkit::test {

class RandomMemory : public RandomInstructions {
 public:
  using RandomInstructions::RandomInstructions;

 protected:
  void line(const std::string& text) { text_ += "  " + text + ";\n"; }
  void memory(const std::string& guard);

  std::string text_;
  const bool has_local_ = pick(2) != 0;

 private:
  void own_words(const std::string& guard);
  void copies(const std::string& guard);
  void of_vectors(const std::string& guard);
  void behind_check();
  void clamped(const std::string& guard);
  void of_local(const std::string& guard);
};

}  // namespace nvmlkit::test
