#include "driver/trace/recorder.hpp"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nvmlkit/interpose/hook.hpp>

#include "driver/complain.hpp"

namespace nvmlkit::trace {
namespace {

constexpr int kMostFiles = 1000;  // of processes with one name and one number

std::uint64_t now_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint32_t thread_number() noexcept {
  static std::atomic<std::uint32_t> threads{0};
  static thread_local std::uint32_t own = 0;
  if (own == 0) own = threads.fetch_add(1, std::memory_order_relaxed) + 1;
  return own;
}

// The words of the command line, as the kernel has them.
std::string command_line() {
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  std::string out{std::istreambuf_iterator<char>(stream), {}};
  out.resize(std::min<std::size_t>(out.size(), 4096));
  while (!out.empty() && out.back() == '\0') out.pop_back();
  std::ranges::replace(out, '\0', ' ');
  return out;
}

// FOLDER/PROGRAM-PID
std::string file_stem(const std::string& folder) {
  std::string name = program_invocation_short_name ? program_invocation_short_name : "program";
  name.resize(std::min<std::size_t>(name.size(), 64));
  for (char& c : name)
    if (std::strchr("/ \t\n", c)) c = '_';
  return folder + "/" + name + "-" + std::to_string(getpid());
}

void* function_of(const nvml::Table& table, std::size_t symbol) {
  void* function = nullptr;
  std::memcpy(&function, reinterpret_cast<const char*>(&table) + nvml::symbols()[symbol].offset, sizeof function);
  return function;
}

// The type that no header declares is not in the dispatch table.
Word export_table(const nvml::Table& table, const Word* words) {
  using Function = int (*)(Word, Word);
  const auto function = reinterpret_cast<Function>(function_of(table, export_table_function()));
  return function ? static_cast<Word>(function(words[0], words[1])) : Word{abi::NVML_ERROR_FUNCTION_NOT_FOUND};
}

}  // namespace

Recorder::Recorder(const Settings& settings) : settings_(settings), next_(open_next_library(settings.library)) {
  if (next_.path.empty()) driver::complain({.kind = sim::ProblemKind::missing, .what = next_.problem});
  if (settings.folder.empty()) failed_.store(true);
}

Writer* Recorder::make_writer() noexcept {
  const std::lock_guard lock(*making_);
  if (Writer* made = writer_.load(std::memory_order_acquire); made || failed_.load()) return made;
  WriterOptions options{
      .path = {}, .limit = settings_.limit, .program = command_line(), .library = next_.path, .present = {}};
  for (std::size_t i = 0; i < nvml::kSymbolCount; ++i)
    options.present.push_back(function_of(next_.table, i) != nullptr);
  mkdir(settings_.folder.c_str(), 0777);
  const std::string stem = file_stem(settings_.folder);
  for (int number = 1; number <= kMostFiles; ++number) {
    options.path = stem + (number > 1 ? "-" + std::to_string(number) : "") + kSuffix;
    if (access(options.path.c_str(), F_OK) == 0) continue;
    auto made = Writer::create(options);
    if (made) {
      writer_.store(made->release(), std::memory_order_release);
      return writer_.load();
    }
    made.error().hint = "the calls of this process are not recorded";
    driver::complain(made.error());
    break;
  }
  failed_.store(true);
  return nullptr;
}

void Recorder::record(Writer& writer, Encoder& encoder, Word result, std::uint64_t start,
                      const std::string& extra) noexcept {
  const std::uint64_t end = now_ns();
  const std::uint64_t base = writer.start();
  encoder.answer(result, {.start = start > base ? start - base : 0, .duration = end - start, .thread = thread_number()},
                 {reinterpret_cast<const unsigned char*>(extra.data()), extra.size()});
  if (encoder.whole())
    writer.append(encoder.bytes());
  else
    writer.drop();
}

Word Recorder::on_call(std::size_t symbol, const Word* words) noexcept {
  Writer* file = writer();
  if (!file) [[unlikely]]
    return symbol == export_table_function() ? export_table(next_.table, words)
                                             : nvml::interpose::invoke(next_.table, symbol, words);
  if (symbol == export_table_function()) return on_export_table(words);
  Encoder encoder(symbol, shape(symbol), words);
  encoder.question();
  encoder.before().clear_text_pointers();
  const std::uint64_t start = now_ns();
  const Word result = nvml::interpose::invoke(next_.table, symbol, words);
  record(*file, encoder, result, start);
  return result;
}

// The table that comes back has functions of ours in front of the library's.
Word Recorder::on_export_table(const Word* words) noexcept {
  const std::size_t symbol = export_table_function();
  Encoder encoder(symbol, shape(symbol), words);
  encoder.question();
  const std::uint64_t start = now_ns();
  const Word result = export_table(next_.table, words);
  const bool answered = static_cast<int>(result) == 0 && words[0] != 0 && words[1] != 0;
  const void** place = at_word<const void*>(words[0]);
  const std::string description = answered && *place ? describe_table(*place) : "";
  record(*writer(), encoder, result, start, description);
  if (description.empty()) return result;
  TableId id;
  std::memcpy(id.data(), at_word<unsigned char>(words[1]), id.size());
  if (const void* outer = wrap_table(id, *place)) *place = outer;
  return result;
}

Word Recorder::on_slot(const SlotCall& call) noexcept {
  using Slot = Word (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);
  const auto inner = reinterpret_cast<Slot>(const_cast<void*>(call.inner));
  const Word* w = call.words;
  const auto forward = [&] { return inner(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9]); };
  Writer* file = writer();
  if (!file) [[unlikely]]
    return forward();
  Word cut[kSlotWords] = {call.table, call.slot};
  if (call.function != unknown_slot()) cut_values(shape(call.function), w, cut);
  Encoder encoder(call.function, shape(call.function), cut);
  encoder.question();
  const std::uint64_t start = now_ns();
  const Word result = forward();
  record(*file, encoder, result, start);
  return result;
}

void Recorder::close() noexcept {
  if (Writer* file = writer_.load()) file->close();
}

void Recorder::begin_anew() noexcept {
  if (Writer* file = writer_.exchange(nullptr)) file->forget();
  failed_.store(settings_.folder.empty());
  making_ = new std::mutex();
}

}  // namespace nvmlkit::trace
