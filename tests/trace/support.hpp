// Calls of a driver that is not there, and files of their own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <nvmlkit/generated/abi.hpp>
#include <nvmlkit/table.hpp>
#include <string>

#include "sim/problem/text.hpp"
#include "trace/encode.hpp"
#include "trace/player.hpp"
#include "trace/recording.hpp"
#include "trace/writer.hpp"

namespace nvmlkit::trace::test {

class Folder {
 public:
  Folder() {
    std::string name = ::testing::TempDir() + "nvmlkit_trace_XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::unique_ptr<Writer> make_writer(const std::string& path,
                                           std::uint64_t limit = WriterOptions::kDefaultLimit) {
  auto made =
      Writer::create({.path = path, .limit = limit, .program = "app --flag", .library = "/lib/one", .present = {}});
  if (!made) ADD_FAILURE() << sim::text_of(made.error());
  return made ? std::move(*made) : nullptr;
}

template <class T>
Word word(T value) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<Word>(value);
  else
    return static_cast<Word>(value);
}

// A call as the library records it; `driver` writes the answer.
inline void record(
    Writer& writer, std::size_t function, std::initializer_list<Word> arguments, int result,
    const std::function<void()>& driver = [] {}, std::uint64_t start = 0) {
  std::vector<Word> words(arguments);
  words.push_back(0);
  Encoder encoder(function, shape(function), words.data());
  encoder.question();
  encoder.before().clear_text_pointers();
  driver();
  encoder.answer(static_cast<Word>(result), {.start = start, .duration = 700, .thread = 1});
  writer.append(encoder.bytes());
}

inline Recording open(const std::string& path) {
  auto out = read(path);
  if (!out) ADD_FAILURE() << sim::text_of(out.error());
  return out ? std::move(*out) : Recording();
}

template <class Function>
std::size_t number_of(Function nvml::Table::*member) {
  return nvml::symbol_index(member);
}

}  // namespace nvmlkit::trace::test
