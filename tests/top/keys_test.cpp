// The view of a simulated machine: which GPUs are asked, in which order they stand, what keys do.
#include "top/keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nvmlkit/interpose.hpp>
#include <nvmlkit/sim/table.hpp>

#include "top/details.hpp"
#include "top/draw.hpp"
#include "top/layout.hpp"

namespace nvmlkit::top {
namespace {

namespace interpose = nvml::interpose;

// Counts the calls about each GPU.
class Counter : public interpose::Hook {
 public:
  interpose::Word on_call(const interpose::Call& call) noexcept override {
    const bool about_a_gpu = call.signature().subject == interpose::Subject::device && call.arguments().size() > 0;
    if (about_a_gpu) ++calls[call.arguments()[0]];
    return call.forward();
  }
  std::map<interpose::Word, int> calls;
};

class Words : public Steering {
 public:
  explicit Words(sim::SimulatedDriver& driver) : driver_(driver) {}
  std::string steer(const std::vector<std::string>& words) override {
    std::string command;
    for (const auto& word : words) command += (command.empty() ? "" : " ") + word;
    said.push_back(command);
    const auto done = driver_.steer(command);
    return done ? "" : done.error().detail();
  }
  std::vector<std::string> faults() const override { return {"xid 79", "lost"}; }
  std::vector<std::string> said;

 private:
  sim::SimulatedDriver& driver_;
};

class Views : public ::testing::Test {
 protected:
  void start(unsigned int gpus) {
    driver.emplace(sim::SimulatedDriver::create("h100", {gpus, "550", "virtual"}).value());
    wrapped.emplace(interpose::wrap(driver->table(), counter).value());
    machine.emplace(nvml::Library::from_table(wrapped->table()).value(), nvml::OpenOptions{{"/nonexistent", true}, {}});
    steering.emplace(*driver);
    view.can_steer = true;
  }
  void steer(std::string_view command) { ASSERT_TRUE(driver->steer(command)) << command; }
  Layout frame(std::size_t rows = 20) {
    machine->begin(++number);
    return poll_visible(*machine, view, rows);
  }
  std::string screen(Size size = {24, 80}) {
    const auto layout = frame(list_rows(*machine, view, size));
    std::string out;
    const auto lines = draw({*machine, view, layout, &*steering}, size);
    EXPECT_EQ(lines.size(), size.rows);
    for (const auto& line : lines) {
      EXPECT_LE(line.columns(), size.columns);
      out += line.text() + "\n";
    }
    return out;
  }
  Action press_key(Key key, const std::string& character = "") {
    Desk desk{*machine, view, &*steering, 20};
    return press({key, character}, desk);
  }
  void type(std::string_view keys) {
    for (const char key : keys) press_key(Key::character, std::string(1, key));
  }
  std::vector<std::size_t> order() { return order_of(*machine, view); }

  std::optional<sim::SimulatedDriver> driver;
  std::shared_ptr<Counter> counter = std::make_shared<Counter>();
  std::optional<interpose::Wrapped> wrapped;
  std::optional<Machine> machine;
  std::optional<Words> steering;
  View view;
  std::uint64_t number = 0;
};

TEST_F(Views, AskOnlyTheGpusOnTheScreen) {
  start(64);
  view.folding = Folding::folded;
  frame(10);
  counter->calls.clear();
  frame(10);
  EXPECT_EQ(counter->calls.size(), 10U);
  // Facts were asked for once: a row costs these calls.
  for (const auto& [gpu, calls] : counter->calls) EXPECT_LE(calls, 10);
  EXPECT_FALSE(machine->gpu(63).polled());
  type("t");  // to sort, every GPU has to be asked for a row
  frame(10);
  EXPECT_TRUE(machine->gpu(63).polled());
}

TEST_F(Views, UnfoldTheChosenGpuAndWhatFits) {
  start(8);
  frame();  // knows no GPU yet, and then all
  auto layout = frame(20);
  EXPECT_TRUE(layout.blocks[0].unfolded);
  EXPECT_FALSE(layout.blocks[1].unfolded);
  press_key(Key::down);
  layout = frame(20);
  EXPECT_FALSE(layout.blocks[0].unfolded);
  EXPECT_TRUE(layout.blocks[1].unfolded);
  layout = frame(200);
  for (const auto& block : layout.blocks) EXPECT_TRUE(block.unfolded);
  EXPECT_GT(layout.curve_rows, kUsualCurve);
  EXPECT_LE(layout.lines, 200U);
  type("-");
  EXPECT_EQ(frame(200).lines, 8U);
  type(" ");
  EXPECT_EQ(frame(20).lines, 20U);  // rows that are left over make the curves higher
  type("+");
  EXPECT_EQ(frame(20).lines, 8 * 8U);
  type("=");
  EXPECT_EQ(frame(20).lines, 20U);  // rows that are left over make the curves higher
}

TEST_F(Views, ScrollToTheChosenGpu) {
  start(100);
  view.folding = Folding::folded;
  press_key(Key::end);
  auto layout = frame(10);
  EXPECT_EQ(view.chosen, 99U);
  EXPECT_EQ(view.top, 90U);
  press_key(Key::home);
  frame(10);
  EXPECT_EQ(view.top, 0U);
  press_key(Key::page_down);
  EXPECT_EQ(view.chosen, 20U);
  press_key(Key::page_up);
  type("jjk");
  EXPECT_EQ(view.chosen, 1U);
}

TEST_F(Views, SortByEveryMeasureAndBack) {
  start(4);
  steer("set gpu=2 thermal.gpu=80");
  steer("set gpu=1 thermal.gpu=60");
  steer("fault gpu=0 lost");
  type("t");
  frame();
  EXPECT_EQ(order(), (std::vector<std::size_t>{2, 1, 3, 0}));  // a GPU without a value is last
  type("r");
  EXPECT_EQ(order(), (std::vector<std::size_t>{3, 1, 2, 0}));
  type("i");
  EXPECT_EQ(order(), (std::vector<std::size_t>{0, 1, 2, 3}));
  type("r");
  EXPECT_EQ(order().front(), 3U);
  type("i");
  for (const auto measure :
       {Measure::utilization, Measure::memory, Measure::power, Measure::temperature, Measure::clock}) {
    type("s");
    EXPECT_EQ(view.sort, measure);
  }
  type("s");
  EXPECT_FALSE(view.sort);
}

TEST_F(Views, FilterWhileTyping) {
  start(16);
  steer("load gpu=5 100%");
  steer("time advance 5s");
  type("/util>5");
  EXPECT_NE(screen().find("filter: util>5_"), std::string::npos);
  EXPECT_EQ(order(), (std::vector<std::size_t>{5}));
  EXPECT_EQ(view.chosen, 5U);
  press_key(Key::backspace);
  EXPECT_EQ(view.answer, "util>");
  press_key(Key::escape);
  EXPECT_EQ(order().size(), 16U);
  type("/nothing");
  press_key(Key::enter);
  EXPECT_NE(screen().find("no GPU passes the filter"), std::string::npos);
}

TEST_F(Views, SteerTheChosenGpuByItsUuid) {
  start(2);
  type("j");
  frame();
  type("l");
  EXPECT_NE(screen().find("load GPU 1"), std::string::npos);
  press_key(Key::backspace);
  press_key(Key::backspace);
  type("5%");
  press_key(Key::enter);
  ASSERT_EQ(steering->said.size(), 1U);
  EXPECT_EQ(steering->said[0], "load gpu=" + machine->gpu(1).facts->uuid + " 85%");
  EXPECT_NE(screen().find("done: load gpu=1 85%"), std::string::npos);
  type("f");
  EXPECT_NE(screen().find("BREAK GPU 1"), std::string::npos);
  press_key(Key::down);
  press_key(Key::enter);
  EXPECT_EQ(steering->said[1], "fault gpu=" + machine->gpu(1).facts->uuid + " lost");
  EXPECT_NE(screen().find("LOST"), std::string::npos);
  type("h");
  EXPECT_EQ(screen().find("LOST"), std::string::npos);
  type(":fault gpu=0 nonsense");
  press_key(Key::enter);
  EXPECT_TRUE(view.message_is_bad);
  EXPECT_NE(screen().find("nonsense"), std::string::npos);
  type("H");
  EXPECT_EQ(steering->said.back(), "heal machine");
}

TEST_F(Views, DoNotSteerARealMachine) {
  start(1);
  view.can_steer = false;
  Desk desk{*machine, view, nullptr, 20};
  for (const char* key : {"l", "f", "h", "H", ":"}) press({Key::character, key}, desk);
  EXPECT_TRUE(steering->said.empty());
  EXPECT_EQ(view.question, Question::none);
  EXPECT_EQ(view.page, Page::gpus);
  press({Key::character, "?"}, desk);
  const auto help = screen();
  EXPECT_NE(help.find("filter"), std::string::npos);
  EXPECT_EQ(help.find("heal"), std::string::npos);
}

TEST_F(Views, ShowEventsWithTheirGpu) {
  start(4);
  frame();
  steer("fault gpu=2 xid 48");
  const auto text = screen();
  EXPECT_NE(text.find("GPU 2    Xid "), std::string::npos) << text;
  type("e");
  EXPECT_NE(screen().find("EVENTS"), std::string::npos);
  EXPECT_NE(screen().find("Xid 48"), std::string::npos);
  press_key(Key::escape);
  EXPECT_EQ(view.page, Page::gpus);
}

TEST_F(Views, OutliveTheirDriver) {
  start(2);
  EXPECT_NE(screen().find("H100"), std::string::npos);
  steer("fault machine fail nvmlDeviceGetCount_v2 DRIVER_NOT_LOADED");
  const auto text = screen();
  EXPECT_EQ(text.find("H100"), std::string::npos) << text;
  EXPECT_FALSE(machine->problem().empty());
  EXPECT_NE(text.find(machine->problem().substr(0, 40)), std::string::npos) << text;
}

TEST_F(Views, FitEverySize) {
  start(8);
  steer("fault gpu=3 lost");
  for (const Page page : {Page::gpus, Page::help, Page::events, Page::faults})
    for (const std::size_t rows : {5U, 7U, 10U, 24U, 60U, 300U})
      for (const std::size_t columns : {20U, 33U, 80U, 131U, 500U}) {
        view.page = page;
        screen({rows, columns});
      }
  EXPECT_EQ(draw({*machine, view, frame(1), nullptr}, {3, 10}).front().text(), "too small");
}

TEST_F(Views, EveryKeyOfTheHelpDoesSomething) {
  start(2);
  frame();
  for (const auto& help : all_keys())
    for (const auto& key : words_of(help.keys)) {
      if (key.size() != 1) continue;
      view = {};
      view.can_steer = true;
      view.chosen = 1;
      Desk desk{*machine, view, &*steering, 20};
      const auto said = steering->said.size();
      // `j` is at the end of the list, and `=` and `i` are what the view begins with.
      if (key == "j" || key == "k") view.chosen = key == "j" ? 0 : 1;
      if (key == "=") view.folding = Folding::folded;
      if (key == "i") view.sort = Measure::clock;
      const auto changed = std::tuple(view.sort, view.reversed, view.folding, view.chosen, view.paused, view.page,
                                      view.question, view.interval, view.symbols.curves);
      const auto action = press({Key::character, key}, desk);
      const auto after = std::tuple(view.sort, view.reversed, view.folding, view.chosen, view.paused, view.page,
                                    view.question, view.interval, view.symbols.curves);
      EXPECT_TRUE(after != changed || steering->said.size() > said || action == Action::quit) << key;
    }
}

}  // namespace
}  // namespace nvmlkit::top
