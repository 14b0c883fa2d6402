#include "top/steer_keys.hpp"

#include <algorithm>

namespace nvmlkit::top {
namespace {

constexpr const char* kUsualLoad = "80%";

// The words of a command, with the GPU by its UUID: an index may mean another GPU when one is gone.
Action steer(Desk& desk, std::vector<std::string> words) {
  auto& view = desk.view;
  std::string said;
  for (const auto& word : words) said += (said.empty() ? "" : " ") + word;
  const auto own = "gpu=" + std::to_string(view.chosen);
  if (view.chosen < desk.machine.size())
    if (const auto& facts = desk.machine.gpu(view.chosen).facts; facts && !facts->uuid.empty())
      std::replace(words.begin(), words.end(), own, "gpu=" + facts->uuid);
  const auto wrong = desk.steering->steer(words);
  view.message_is_bad = !wrong.empty();
  view.message = wrong.empty() ? "done: " + said : wrong;
  return Action::poll;
}

std::string chosen_gpu(const Desk& desk) { return "gpu=" + std::to_string(desk.view.chosen); }

Action ask(View& view, Question question, const std::string& proposal) {
  view.question = question;
  view.answer = proposal;
  return Action::redraw;
}

}  // namespace

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(' ', at)) != std::string::npos) {
    const auto end = std::min(line.find(' ', at), line.size());
    out.push_back(line.substr(at, end - at));
    at = end;
  }
  return out;
}

Action press_to_steer(char key, Desk& desk) {
  auto& view = desk.view;
  switch (key) {
    case 'l':
      return ask(view, Question::load, kUsualLoad);
    case 'f':
      view.page = Page::faults;
      view.page_line = 0;
      return Action::redraw;
    case 'h':
      return steer(desk, {"heal", chosen_gpu(desk)});
    case 'H':
      steer(desk, {"heal", "gpu=all"});
      return view.message_is_bad ? Action::poll : steer(desk, {"heal", "machine"});
    case ':':
      return ask(view, Question::command, "");
    default:
      return Action::none;
  }
}

Action press_in_faults(const Input& input, Desk& desk) {
  auto& view = desk.view;
  const auto faults = desk.steering->faults();
  const auto last = faults.empty() ? 0 : faults.size() - 1;
  if (input.key == Key::escape || input.character == "q" || input.character == "f") view.page = Page::gpus;
  if (input.key == Key::down || input.character == "j") view.page_line = std::min(view.page_line + 1, last);
  if (input.key == Key::up || input.character == "k") view.page_line -= std::min<std::size_t>(view.page_line, 1);
  if (input.key == Key::page_down) view.page_line = std::min(view.page_line + desk.rows, last);
  if (input.key == Key::page_up) view.page_line -= std::min(view.page_line, desk.rows);
  if (input.key == Key::home) view.page_line = 0;
  if (input.key == Key::end) view.page_line = last;
  if (input.key != Key::enter || view.page_line >= faults.size()) return Action::redraw;
  view.page = Page::gpus;
  auto words = words_of(faults[view.page_line]);
  words.insert(words.begin(), {"fault", chosen_gpu(desk)});
  return steer(desk, std::move(words));
}

Action answer_to_steer(Question question, Desk& desk) {
  auto words = words_of(desk.view.answer);
  if (words.empty()) return Action::redraw;
  if (question == Question::load) words.insert(words.begin(), {"load", chosen_gpu(desk)});
  return steer(desk, std::move(words));
}

}  // namespace nvmlkit::top
