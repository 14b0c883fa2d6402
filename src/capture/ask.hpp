// Asks a driver one question about one object.
#pragma once

#include <nvmlkit/table.hpp>

#include "capture/memory.hpp"

namespace nvmlkit::capture {

class Asker {
 public:
  Asker(const nvml::Table& table, Answers& answers) : table_(table), answers_(answers) {}

  // The finder of an object names its handle, so that answers can contain the name.
  HandleNames& names() { return names_; }

  // All that there is to choose, in every version of its struct. The answers are put down with the object.
  void ask(const Question& question, std::size_t object);

  // The name of an NVML return code: "NOT_SUPPORTED".
  static std::string code_name(int code);

 private:
  // What a choice gives: the word, or the bytes of a text.
  struct Value {
    std::uint64_t word;
    std::string text;   // of text arguments
    std::string shown;  // in the question
  };
  class Call;

  std::vector<Value> values(const Choice& choice, std::size_t object) const;
  std::vector<Json> told(const char* from, std::size_t object) const;
  void choose(const Question& question, std::size_t object, std::vector<Value>& chosen);
  void put_down(const Question& question, std::size_t object, const std::vector<Value>& chosen);

  const nvml::Table& table_;
  Answers& answers_;
  HandleNames names_;
};

}  // namespace nvmlkit::capture
