// Files of recordings: none makes the reader or a replay touch memory that it does not own.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "trace/format.hpp"
#include "trace/player.hpp"
#include "trace/summary.hpp"
#include "trace/text.hpp"
#include "trace/writer.hpp"

namespace {

using namespace nvmlkit::trace;

constexpr std::size_t kLargestArray = 64;  // elements that a call of this test asks for

// The start of a file, with the functions of this build and room for records.
std::string empty_file() {
  std::string path = "/tmp/nvmlkit_trace_fuzzer_XXXXXX";
  const int file = mkstemp(path.data());
  close(file);
  unlink(path.c_str());
  auto writer = Writer::create({.path = path, .program = "fuzzer", .library = "", .present = {}});
  if (!writer) std::abort();
  writer->reset();
  std::ifstream stream(path, std::ios::binary);
  std::string out{std::istreambuf_iterator<char>(stream), {}};
  unlink(path.c_str());
  return out;
}

// A file whose records are pieces of the input, behind their lengths; the marks are right.
std::string file_of(const std::uint8_t* data, std::size_t size) {
  static const std::string start = empty_file();
  std::string out = start;
  FileHeader header;
  std::memcpy(&header, out.data(), sizeof header);
  std::size_t place = sizeof(SegmentHeader);
  for (std::size_t at = 0; at < size;) {
    const std::size_t length = std::min<std::size_t>(data[at], size - at - 1);
    const std::uint64_t word = word_of(header.salt, 1, place, data + at + 1, length);
    out.append(reinterpret_cast<const char*>(&word), sizeof word);
    out.append(reinterpret_cast<const char*>(data + at + 1), length);
    out.append(padded(length) - length, '\0');
    place += kWordBytes + padded(length);
    at += 1 + length;
  }
  return out;
}

// Asks with the recorded arguments, and memory of exactly the size that the function may write.
void ask(Player& player, const Recording& recording, const Call& call) {
  const Function& function = recording.functions[call.function];
  if (function.known == SIZE_MAX || function.known == export_table_function() || !player.present(function.known))
    return;
  const Shape& form = shape(function.known);
  std::vector<std::vector<unsigned char>> memory(form.arguments.size());
  std::vector<Word> words(form.arguments.size() + 1, 0);
  for (std::size_t i = 0; i < form.arguments.size(); ++i) {
    words[i] = call.arguments[i].word;
    if (!is_pointer(function.letters[i])) continue;
    std::size_t elements = 1;
    if (const int length = form.arguments[i].length; length >= 0) {
      const auto at = static_cast<std::size_t>(length);
      elements = static_cast<std::uint32_t>(call.arguments[at].word);
      if (is_pointer(function.letters[at])) {
        const auto& in = call.arguments[at].in;
        elements = 0;
        if (in && in->size() == sizeof(std::uint32_t)) elements = static_cast<unsigned char>((*in)[0]);
        if (in && (in->size() != sizeof(std::uint32_t) || (*in)[1] || (*in)[2] || (*in)[3])) return;
      }
    }
    if (elements > kLargestArray) return;
    memory[i].assign(form.arguments[i].size * elements, 0);
    const std::string in = call.arguments[i].in.value_or("");
    if (function.letters[i] == 't') memory[i].assign(in.size() + 1, 0);
    std::copy_n(in.begin(), std::min(in.size(), memory[i].size()), memory[i].begin());
    words[i] = call.arguments[i].word != 0 ? reinterpret_cast<Word>(memory[i].data()) : 0;
  }
  player.answer(function.known, words.data(), 1);
}

void read_all(std::string bytes) {
  auto recording = parse(bytes, "input");
  if (!recording) return;
  std::vector<Call> calls;
  for (const Record& record : recording->records)
    if (auto call = recording->call(record)) {
      question_text(*recording, *call);
      answer_text(*recording, *call, true);
      replay_line(*recording, *call);
      calls.push_back(std::move(*call));
    }
  count(*recording, {});
  compare(*recording, *recording, {});
  auto again = parse(std::move(bytes), "input");
  Player player(std::move(*again), calls.size() % 2 ? Order::time : Order::calls, {});
  for (const Call& call : calls) ask(player, *recording, call);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // A file as it is, or records in a file that is right.
  if (data[0] % 8 == 0)
    read_all({reinterpret_cast<const char*>(data + 1), size - 1});
  else
    read_all(file_of(data + 1, size - 1));
  return 0;
}
