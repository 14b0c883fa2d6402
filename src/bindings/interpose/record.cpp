#include <cstring>
#include <nvmlkit/interpose/trace.hpp>
#include <ostream>

#include "interpose/trace_call.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

bool has(const Table& table, const Symbol& symbol) {
  void* function = nullptr;
  std::memcpy(&function, reinterpret_cast<const char*>(&table) + symbol.offset, sizeof function);
  return function != nullptr;
}

}  // namespace

Recorder::Recorder(const Table& inner, std::ostream& stream) : stream_(stream) {
  TraceLine head;
  head.version = kTraceVersion;
  for (const Symbol& symbol : symbols())
    if (!has(inner, symbol)) head.missing.emplace_back(symbol.name);
  stream_ << text_of(head) << '\n' << std::flush;
}

Word Recorder::on_call(const Call& call) noexcept {
  const Shape& shape = shape_of(call.symbol());
  if (!shape.followed) return call.forward();
  const Before before(shape, call.arguments().data());
  TraceLine line;
  put_question(line, before);
  before.clear_text_pointers();
  const Word result = call.forward();
  put_answer(line, before, result);
  const std::string text = text_of(line);
  const std::lock_guard lock(mutex_);
  stream_ << text << '\n' << std::flush;
  return result;
}

}  // namespace nvmlkit::nvml::interpose
