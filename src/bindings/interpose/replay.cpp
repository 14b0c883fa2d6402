#include <algorithm>
#include <cstring>
#include <fstream>
#include <istream>
#include <map>
#include <nvmlkit/interpose/trace.hpp>

#include "generated/visit_members.hpp"
#include "interpose/trace_text.hpp"
#include "interpose/word.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

struct Answer {
  Word result = 0;
  std::string text;                             // what nvmlErrorString returned
  std::vector<std::optional<std::string>> out;  // bytes per argument
};

// Never called: it only says that the recorded driver had the symbol.
struct Presence {
  const std::vector<bool>& present;
  template <std::size_t Index, class R, class... A>
  void operator()(R (*&member)(A...)) const {
    if (present[Index]) member = [](A...) -> R { return R(); };
  }
};

// Does the line fit the function, so that playing it back writes no further than the caller expects?
bool read_answer(const TraceLine& line, const Signature& signature, Answer& answer) {
  const auto arguments = signature.arguments;
  if (line.in.size() != arguments.size() || line.out.size() != arguments.size()) return false;
  answer.result = to_word(static_cast<int>(line.result));
  answer.text = line.text.value_or("");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto& bytes = answer.out.emplace_back();
    if (!line.out[i]) continue;
    bytes = from_hex(*line.out[i]);
    const bool sized = arguments[i].length < 0;
    const bool readable = arguments[i].kind >= ArgumentKind::output;
    if (!bytes || !readable || !line.in[i] || (sized && bytes->size() > arguments[i].size)) return false;
  }
  return true;
}

}  // namespace

class Replay::Answers : public Hook {
 public:
  bool add(const TraceLine& line) {
    const Symbol* symbol = find_symbol(line.function);
    if (!symbol) return false;
    Answer answer;
    if (!read_answer(line, signatures()[static_cast<std::size_t>(symbol - symbols().data())], answer)) return false;
    recorded_[key_of(symbol->name, line.in)].answers.push_back(std::move(answer));
    return true;
  }

  Word on_call(const Call& call) noexcept override {
    const Answer* answer = next(key_of(call.name(), encode_inputs(call)));
    if (!call.returns_code()) return to_word(answer ? answer->text.c_str() : "");
    if (!answer) return to_word(abi::NVML_ERROR_UNKNOWN);
    // What the line holds for an array fits its length, which is part of the key, unless somebody edited the file.
    const auto counts = counts_of(call);
    for (std::size_t i = 0; i < answer->out.size(); ++i) {
      if (!answer->out[i]) continue;
      const Argument& argument = call.signature().arguments[i];
      const bool counted =
          argument.length >= 0 &&
          call.signature().arguments[static_cast<std::size_t>(argument.length)].kind != ArgumentKind::output;
      const std::size_t room = counted ? counts[i] * argument.size : answer->out[i]->size();
      std::memcpy(from_word<void*>(call.arguments()[i]), answer->out[i]->data(),
                  std::min(room, answer->out[i]->size()));
    }
    return answer->result;
  }

  std::vector<std::string> unmatched() const {
    const std::lock_guard lock(mutex_);
    return unmatched_;
  }

 private:
  struct Series {
    std::vector<Answer> answers;
    std::size_t next = 0;
  };

  static std::string key_of(const char* function, const std::vector<Token>& in) {
    return function + (' ' + json_array(in));
  }

  const Answer* next(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = recorded_.find(key);
    if (found == recorded_.end()) {
      unmatched_.push_back(key);
      return nullptr;
    }
    Series& series = found->second;
    const Answer* answer = &series.answers[series.next];
    if (series.next + 1 < series.answers.size()) ++series.next;
    return answer;
  }

  mutable std::mutex mutex_;
  std::map<std::string, Series> recorded_;  // its answers stay where they are once the trace is read
  std::vector<std::string> unmatched_;
};

Result<Replay> Replay::from_stream(std::istream& stream) {
  auto answers = std::make_shared<Answers>();
  std::vector<bool> present(kSymbolCount, true);
  for (std::size_t i = 0; i < kSymbolCount; ++i) present[i] = signatures()[i].replayable;
  std::size_t number = 0;
  for (std::string text; std::getline(stream, text);) {
    ++number;
    const auto refuse = [&](const char* why) {
      return Failure(Errc::invalid_argument, nullptr, "line " + std::to_string(number) + " of the trace: " + why);
    };
    const auto line = parse_trace_line(text);
    if (!line) return refuse("cannot be read");
    if (number == 1) {
      if (line->version != 1) return refuse("this is no trace of version 1");
      for (const std::string& name : line->missing)
        if (const Symbol* symbol = find_symbol(name))
          present[static_cast<std::size_t>(symbol - symbols().data())] = false;
    } else if (!answers->add(*line)) {
      return refuse("does not fit its function");
    }
  }
  if (number == 0) return Failure(Errc::invalid_argument, nullptr, "the trace is empty");
  Table table;
  visit_members(table, Presence{present});
  auto wrapped = wrap(table, answers);
  if (!wrapped) return wrapped.error();
  return Replay(std::move(answers), std::move(*wrapped));
}

Result<Replay> Replay::from_file(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) return Failure(Errc::not_found, nullptr, path + " cannot be read");
  return from_stream(stream);
}

std::vector<std::string> Replay::unmatched() const { return answers_->unmatched(); }

}  // namespace nvmlkit::nvml::interpose
