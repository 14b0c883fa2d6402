#include <algorithm>
#include <fstream>
#include <istream>
#include <map>
#include <nvmlkit/interpose/trace.hpp>
#include <set>
#include <utility>

#include "generated/visit_members.hpp"
#include "interpose/trace_call.hpp"
#include "interpose/word.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

struct Recorded {
  Answer answer;
  std::string text;  // what nvmlErrorString returned
};

// Never called: it only says that the recorded driver had the symbol.
struct Presence {
  const std::vector<bool>& present;
  template <std::size_t Index, class R, class... A>
  void operator()(R (*&member)(A...)) const {
    if (present[Index]) member = [](A...) -> R { return R(); };
  }
};

bool is_written(const Shape& shape, const NestedBytes& nested) {
  return std::ranges::any_of(shape.pointers, [&](const Pointer& pointer) {
    const bool at = pointer.each < 0 ? nested.offset == pointer.offset
                                     : nested.offset >= pointer.offset && pointer.stride > 0 &&
                                           (nested.offset - pointer.offset) % pointer.stride == 0;
    return pointer.argument == nested.argument && at && pointer.kind != PointerKind::text_in;
  });
}

// Does the line fit the function, so that playing it back writes no further than the caller expects?
bool read_answer(const TraceLine& line, const Shape& shape, Recorded& recorded) {
  const auto arguments = shape.arguments;
  if (line.in.size() != arguments.size() || line.out.size() != arguments.size()) return false;
  recorded.answer.result = static_cast<int>(line.result);
  recorded.answer.nested = line.wrote;
  recorded.text = line.text.value_or("");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto& bytes = recorded.answer.out.emplace_back();
    if (!line.out[i]) continue;
    bytes = from_hex(*line.out[i]);
    const bool sized = arguments[i].length < 0;
    const bool readable = arguments[i].kind >= ArgumentKind::output;
    if (!bytes || !readable || !line.in[i] || (sized && bytes->size() > arguments[i].size)) return false;
  }
  return std::ranges::all_of(line.wrote, [&](const NestedBytes& nested) { return is_written(shape, nested); });
}

}  // namespace

class Replay::Answers : public Hook {
 public:
  // `version`: of the trace.
  bool add(TraceLine line, int version) {
    const Symbol* symbol = find_symbol(line.function);
    if (!symbol) return false;
    const Shape& shape = shape_of(static_cast<std::size_t>(symbol - symbols().data()));
    Recorded recorded;
    if (!read_answer(line, shape, recorded)) return false;
    if (version == 1 && !renew_question(line, shape)) return false;
    recorded_[question_of(line)].answers.push_back(std::move(recorded));
    return true;
  }

  Word on_call(const Call& call) noexcept override {
    const Before before(shape_of(call.symbol()), call.arguments().data());
    TraceLine line;
    put_question(line, before);
    const Recorded* recorded = next(question_of(line));
    if (!call.returns_code()) return to_word(recorded ? recorded->text.c_str() : "");
    if (!recorded) return to_word(abi::NVML_ERROR_UNKNOWN);
    return give(recorded->answer, before, [this](const std::string& text) { return lasting(text); });
  }

  std::vector<std::string> unmatched() const {
    const std::lock_guard lock(mutex_);
    return unmatched_;
  }

 private:
  struct Series {
    std::vector<Recorded> answers;
    std::size_t next = 0;
  };

  const Recorded* next(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = recorded_.find(key);
    if (found == recorded_.end()) {
      unmatched_.push_back(key);
      return nullptr;
    }
    Series& series = found->second;
    const Recorded* answer = &series.answers[series.next];
    if (series.next + 1 < series.answers.size()) ++series.next;
    return answer;
  }

  const char* lasting(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return texts_.insert(text).first->c_str();
  }

  mutable std::mutex mutex_;
  std::set<std::string> texts_;             // of the driver, which callers keep
  std::map<std::string, Series> recorded_;  // its answers stay where they are once the trace is read
  std::vector<std::string> unmatched_;
};

Result<Replay> Replay::from_stream(std::istream& stream) {
  auto answers = std::make_shared<Answers>();
  std::vector<bool> present(kSymbolCount, true);
  for (std::size_t i = 0; i < kSymbolCount; ++i)
    present[i] = shape_of(i).followed && i != symbol_index(&Table::InternalGetExportTable);
  std::size_t number = 0;
  int version = 0;
  for (std::string text; std::getline(stream, text);) {
    ++number;
    const auto refuse = [&](const char* why) {
      return Failure(Errc::invalid_argument, nullptr, "line " + std::to_string(number) + " of the trace: " + why);
    };
    auto line = parse_trace_line(text);
    if (!line) return refuse("cannot be read");
    if (number == 1) {
      version = line->version;
      if (version != 1 && version != kTraceVersion) return refuse("this is no trace of version 1 or 2");
      // What a trace of version 1 never has.
      for (std::size_t i = 0; version == 1 && i < kSymbolCount; ++i)
        if (!shape_of(i).pointers.empty()) present[i] = false;
      for (const std::string& name : line->missing)
        if (const Symbol* symbol = find_symbol(name))
          present[static_cast<std::size_t>(symbol - symbols().data())] = false;
    } else if (!answers->add(std::move(*line), version)) {
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
