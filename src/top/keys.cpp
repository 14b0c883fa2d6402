#include "top/keys.hpp"

#include <algorithm>
#include <array>

#include "top/steer_keys.hpp"

namespace nvmlkit::top {
namespace {

constexpr std::array kIntervals = {0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0};

void sort_by(View& view, std::optional<Measure> measure) {
  view.reversed = view.sort == measure && !view.reversed;
  view.sort = measure;
}

void sort_by_next(View& view) {
  const auto next = view.sort ? static_cast<std::size_t>(*view.sort) + 1 : 0;
  view.sort = next < kMeasures ? std::optional(static_cast<Measure>(next)) : std::nullopt;
  view.reversed = false;
}

void change_interval(View& view, bool faster) {
  if (faster) {
    const auto found =
        std::find_if(kIntervals.rbegin(), kIntervals.rend(), [&](double i) { return i < view.interval; });
    if (found != kIntervals.rend()) view.interval = *found;
  } else {
    const auto found = std::find_if(kIntervals.begin(), kIntervals.end(), [&](double i) { return i > view.interval; });
    if (found != kIntervals.end()) view.interval = *found;
  }
}

void fold_all(View& view, Folding folding) {
  view.folding = folding;
  view.unfolded.clear();
}

void toggle_fold(Desk& desk) {
  const auto layout = lay_out(desk.machine, desk.view, desk.rows);
  for (const auto& block : layout.blocks)
    if (block.gpu == desk.view.chosen) desk.view.unfolded[block.gpu] = !block.unfolded;
}

Action begin_filter(View& view) {
  view.question = Question::filter;
  view.filter_before = view.answer = view.filter_text;
  return Action::redraw;
}

void open_page(View& view, Page page) {
  view.page = view.page == page ? Page::gpus : page;
  view.page_line = 0;
}

bool press_to_sort(char key, View& view) {
  constexpr std::string_view kKeys = "umwtc";  // as the measures
  const auto place = kKeys.find(key);
  if (key == 'i')
    sort_by(view, std::nullopt);
  else if (place != std::string_view::npos)
    sort_by(view, static_cast<Measure>(place));
  return key == 'i' || place != std::string_view::npos;
}

bool press_to_fold(char key, View& view) {
  constexpr std::string_view kKeys = "=-+";  // as the foldings
  const auto place = kKeys.find(key);
  if (place == std::string_view::npos) return false;
  fold_all(view, static_cast<Folding>(place));
  return true;
}

Action press_character(char key, Desk& desk) {
  auto& view = desk.view;
  if (press_to_sort(key, view) || press_to_fold(key, view)) return Action::poll;
  switch (key) {
    case 'q':
      return Action::quit;
    case '?':
      open_page(view, Page::help);
      return Action::redraw;
    case 'e':
      open_page(view, Page::events);
      return Action::redraw;
    case 'k':
      move_choice(desk.machine, view, -1);
      return Action::poll;
    case 'j':
      move_choice(desk.machine, view, 1);
      return Action::poll;
    case ' ':
      toggle_fold(desk);
      return Action::poll;
    case 's':
      sort_by_next(view);
      return Action::poll;
    case 'r':
      view.reversed = !view.reversed;
      return Action::poll;
    case '/':
      return begin_filter(view);
    case '[':
    case ']':
      change_interval(view, key == '[');
      return Action::redraw;
    case 'p':
      view.paused = !view.paused;
      return Action::poll;
    case 'b':
      if (!view.symbols.ascii)
        view.symbols.curves = view.symbols.curves == Curves::braille ? Curves::blocks : Curves::braille;
      return Action::redraw;
    default:
      return desk.steering == nullptr ? Action::none : press_to_steer(key, desk);
  }
}

Action press_in_list(const Input& input, Desk& desk) {
  const auto page = static_cast<std::ptrdiff_t>(std::min<std::size_t>(desk.rows, 1000));
  const auto all = static_cast<std::ptrdiff_t>(desk.machine.size());
  const auto move = [&](std::ptrdiff_t by) {
    move_choice(desk.machine, desk.view, by);
    return Action::poll;
  };
  switch (input.key) {
    case Key::character:
      return input.character.size() == 1 ? press_character(input.character[0], desk) : Action::none;
    case Key::up:
      return move(-1);
    case Key::down:
      return move(1);
    case Key::page_up:
      return move(-page);
    case Key::page_down:
      return move(page);
    case Key::home:
      return move(-all);
    case Key::end:
      return move(all);
    case Key::enter:
      toggle_fold(desk);
      return Action::poll;
    default:
      return Action::none;
  }
}

// Help and events: lines that scroll. Any key of the list leaves them.
Action press_on_page(const Input& input, Desk& desk) {
  auto& view = desk.view;
  const auto page = std::max<std::size_t>(desk.rows, 1);
  if (input.key == Key::escape || input.key == Key::enter) view.page = Page::gpus;
  if (input.key == Key::down || input.character == "j") ++view.page_line;
  if (input.key == Key::up || input.character == "k") view.page_line -= std::min<std::size_t>(view.page_line, 1);
  if (input.key == Key::page_down || input.character == " ") view.page_line += page;
  if (input.key == Key::page_up) view.page_line -= std::min(view.page_line, page);
  if (input.key == Key::home) view.page_line = 0;
  if (input.character == "q" || input.character == "?" || input.character == "e")
    return press_character(input.character[0], desk);
  return Action::redraw;
}

void take_filter(View& view, const std::string& text) {
  view.filter_text = text;
  view.filter = Filter(text);
}

Action press_in_question(const Input& input, Desk& desk) {
  auto& view = desk.view;
  if (input.key == Key::escape) {
    if (view.question == Question::filter) take_filter(view, view.filter_before);
    view.question = Question::none;
    return Action::poll;
  }
  if (input.key == Key::enter) {
    const auto question = view.question;
    view.question = Question::none;
    return question == Question::filter ? Action::poll : answer_to_steer(question, desk);
  }
  if (input.key == Key::character) view.answer += input.character;
  if (input.key == Key::backspace)
    view.answer.resize(first_columns(view.answer, std::max<std::size_t>(columns_of(view.answer), 1) - 1).size());
  if (view.question == Question::filter) take_filter(view, view.answer);
  return view.question == Question::filter ? Action::poll : Action::redraw;
}

}  // namespace

Action press(const Input& input, Desk& desk) {
  auto& view = desk.view;
  if (input.key == Key::interrupt) return Action::quit;
  if (input.key == Key::resize) return Action::poll;
  if (input.key == Key::none) return Action::none;
  view.message.clear();
  if (view.question != Question::none) return press_in_question(input, desk);
  if (view.page == Page::faults) return press_in_faults(input, desk);
  if (view.page != Page::gpus) return press_on_page(input, desk);
  const auto action = press_in_list(input, desk);
  return action == Action::none ? Action::redraw : action;
}

const std::vector<KeyHelp>& all_keys() {
  static const std::vector<KeyHelp> keys = {
      {"Up Down j k", "choose a GPU"},
      {"PgUp PgDn Home End", "move far"},
      {"Space Enter", "fold or unfold the GPU"},
      {"- + =", "fold all, unfold all, as many as fit"},
      {"s", "sort by the next column"},
      {"u m w t c i", "sort by utilization, memory, watts, temperature, clock, index"},
      {"r", "reverse the order"},
      {"/", "filter: text, 0-7, util>50, temp>=80, mem power clock, busy, throttled, lost"},
      {"e", "events that the GPUs reported"},
      {"b", "curves of dots or of blocks"},
      {"[ ]", "faster, slower"},
      {"p", "pause"},
      {"l", "load the GPU", true},
      {"f", "break the GPU: a list of faults", true},
      {"h H", "heal the GPU, heal everything", true},
      {":", "any command: set, load, release, fault, heal, time", true},
      {"?", "this help"},
      {"q Ctrl-C", "quit"},
  };
  return keys;
}

}  // namespace nvmlkit::top
