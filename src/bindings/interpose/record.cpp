#include <nvmlkit/interpose/trace.hpp>
#include <ostream>

#include "interpose/trace_text.hpp"
#include "interpose/word.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

bool has(const Table& table, const Symbol& symbol) {
  void* function = nullptr;
  std::memcpy(&function, reinterpret_cast<const char*>(&table) + symbol.offset, sizeof function);
  return function != nullptr;
}

}  // namespace

Recorder::Recorder(const Table& inner, std::ostream& stream) : stream_(stream) {
  std::vector<Token> missing;
  for (const Symbol& symbol : symbols())
    if (!has(inner, symbol)) missing.emplace_back(symbol.name);
  stream_ << "{\"nvmlkit_trace\":1,\"missing\":" << json_array(missing) << "}\n" << std::flush;
}

Word Recorder::on_call(const Call& call) noexcept {
  if (!call.signature().replayable) return call.forward();
  std::string line = std::string("{\"f\":\"") + call.name() + "\",\"in\":" + json_array(encode_inputs(call));
  const auto counts = counts_of(call);
  const Word word = call.forward();
  const int result = call.returns_code() ? static_cast<int>(word) : 0;
  line += ",\"r\":" + (call.returns_code() ? std::to_string(result) : json_string(from_word<const char*>(word)));
  std::vector<Token> out;
  for (std::size_t i = 0; i < call.arguments().size(); ++i) {
    const std::size_t size = bytes_written(call, i, result, counts);
    out.push_back(size ? Token(to_hex(bytes_at(call.arguments()[i]), size)) : Token());
  }
  line += ",\"out\":" + json_array(out) + "}\n";
  const std::lock_guard lock(mutex_);
  stream_ << line << std::flush;
  return word;
}

}  // namespace nvmlkit::nvml::interpose
