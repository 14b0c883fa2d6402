#include "trace/player.hpp"

#include <algorithm>
#include <nvmlkit/generated/abi.hpp>
#include <optional>

#include "bindings/call_memory/answer.hpp"
#include "trace/encode.hpp"
#include "trace/text.hpp"

namespace nvmlkit::trace {
namespace {

std::size_t differing_bytes(const std::string& a, const std::string& b) {
  std::size_t count = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] != b[i];
  return count;
}

// In how many bytes two questions differ; nothing where they ask for different things.
std::optional<std::size_t> distance(const Function& function, const Call& a, const Call& b) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    const Value &left = a.arguments[i], &right = b.arguments[i];
    if (left.word != right.word || left.in.has_value() != right.in.has_value()) return std::nullopt;
    if (left.in == right.in) continue;
    // Structs may hold leftovers behind their version, counts without an array may be left over as a whole.
    const bool count = function.letters[i] == 'x' && left.in->size() == sizeof(int) && right.in->size() == sizeof(int);
    const bool versions_differ = left.in->compare(0, sizeof(int), *right.in, 0, sizeof(int)) != 0;
    if (function.letters[i] != 'x' || (!count && versions_differ)) return std::nullopt;
    out += differing_bytes(*left.in, *right.in);
  }
  if (a.nested_in.size() != b.nested_in.size()) return std::nullopt;
  for (std::size_t i = 0; i < a.nested_in.size(); ++i)
    if (a.nested_in[i].bytes != b.nested_in[i].bytes) return std::nullopt;
  return out;
}

nvml::interpose::Answer answer_of(const Call& call) {
  nvml::interpose::Answer out{.result = call.result, .out = {}, .nested = {}};
  for (const Value& value : call.arguments) out.out.push_back(value.out);
  for (const Nested& nested : call.nested_out)
    if (nested.bytes) out.nested.push_back({nested.argument, nested.offset, *nested.bytes});
  return out;
}

}  // namespace

Player::Player(Recording recording, Order order, std::function<void(const std::string&)> outside)
    : recording_(std::move(recording)),
      order_(order),
      outside_(std::move(outside)),
      numbers_(function_count(), kAbsent) {
  for (std::uint32_t i = 0; i < recording_.functions.size(); ++i)
    if (const Function& function = recording_.functions[i]; function.known != SIZE_MAX && function.present)
      numbers_[function.known] = i;
  index();
}

void Player::index() {
  starts_.resize(recording_.records.size());
  questions_.resize(recording_.functions.size());
  for (std::uint32_t i = 0; i < recording_.records.size(); ++i) {
    const std::string_view payload = recording_.records[i].payload;
    const auto call = recording_.call(recording_.records[i]);
    if (!call) continue;
    starts_[i] = call->start;
    const auto question = question_of(recording_, payload);
    auto& series = series_[question];
    if (series.records.empty()) questions_[call->function].push_back(question);
    series.records.push_back(i);
  }
}

Player::Series* Player::exact(std::string_view question) {
  const auto found = series_.find(question);
  return found == series_.end() ? nullptr : &found->second;
}

Player::Series* Player::closest(const Call& question) {
  Series* best = nullptr;
  std::size_t least = SIZE_MAX;
  for (const std::string_view other : questions_[question.function]) {
    const auto recorded = recording_.question(other);
    const auto apart = recorded ? distance(recording_.functions[question.function], question, *recorded) : std::nullopt;
    if (!apart || *apart >= least) continue;
    least = *apart;
    best = exact(other);
  }
  return best;
}

std::uint32_t Player::pick(Series& series, std::uint64_t now) {
  const auto& records = series.records;
  if (order_ == Order::calls) {
    const std::uint32_t out = records[series.next];
    if (series.next + 1 < records.size()) ++series.next;
    return out;
  }
  const std::uint64_t time = starts_.front() + (now - first_call_);
  const auto later = std::ranges::upper_bound(records, time, {}, [this](std::uint32_t i) { return starts_[i]; });
  return later == records.begin() ? records.front() : *(later - 1);
}

Reply Player::answer(std::size_t function, const Word* words, std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  if (first_call_ == 0) first_call_ = now;
  const Shape& form = shape(function);
  Reply out;
  out.result = form.returns_text ? reinterpret_cast<Word>("Unknown Error") : Word{abi::NVML_ERROR_UNKNOWN};
  Encoder encoder(numbers_[function], form, words);
  encoder.question();
  const auto bytes = encoder.bytes();
  const std::string_view question(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto asked = recording_.question(question);
  Series* series = exact(question);
  out.match = series ? Match::exact : Match::close;
  if (!series && asked) series = closest(*asked);
  const auto call = series ? recording_.call(recording_.records[pick(*series, now)]) : std::nullopt;
  // Success without the memory that it wrote is no answer.
  if (!call || (!form.followed && call->result == 0)) {
    out.match = Match::outside;
    if (outside_ && asked) outside_(question_text(recording_, *asked));
    return out;
  }
  out.wall_ns = recording_.start_ns + call->start + call->duration;
  if (form.waits) out.waited = call->duration;
  if (form.returns_text) {
    out.result = reinterpret_cast<Word>(lasting(call->text));
    return out;
  }
  if (function == export_table_function()) {
    out.result = static_cast<Word>(static_cast<std::intptr_t>(call->result));
    out.first_output = call->arguments.front().out.value_or("");
    return out;
  }
  out.result = nvml::interpose::give(answer_of(*call), encoder.before(),
                                     [this](const std::string& text) { return lasting(text); });
  return out;
}

}  // namespace nvmlkit::trace
