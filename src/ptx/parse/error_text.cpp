#include "ptx/parse/error_text.hpp"

#include "base/words.hpp"

namespace nvmlkit::ptx {

std::string text_of(const Error& error) {
  std::string out;
  if (error.part != 0) out.append("module ").append(std::to_string(error.part)).append(" of what is linked: ");
  if (!error.instruction.empty()) out.append(error.instruction).append(": ");
  return out + words_of(error.words);
}

}  // namespace nvmlkit::ptx
