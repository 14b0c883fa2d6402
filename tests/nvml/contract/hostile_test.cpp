// Every method on a driver that lies: codes that no header has, counts and lengths that are garbage and change from
// call to call, texts without an end, enums that nobody knows, structs of random bytes. It writes only where it was
// given room. A failure names its seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "../liar.hpp"
#include "pointer_structs.hpp"
#include "scripted_driver.hpp"

namespace nvmlkit::nvml::test {
namespace {

using interpose::ArgumentKind;
using interpose::Call;
using interpose::Word;

constexpr unsigned int kSeeds = 60;
// A driver is asked at most this often for one answer, whatever it says: of several versions, 8 rounds each.
constexpr int kMostCalls = 40;

unsigned int number_at(Word word) {
  unsigned int number = 0;
  if (word) std::memcpy(&number, reinterpret_cast<const void*>(word), sizeof number);
  return number;
}

// Of an array that is written. More would take time and tell nothing.
constexpr std::size_t kMostBytes = 64 * 1024;

// How many elements the caller has room for.
std::size_t room_of(const Call& call, const interpose::Argument& argument) {
  if (argument.length < 0) return 1;
  const auto length = static_cast<std::size_t>(argument.length);
  const bool by_value = call.signature().arguments[length].kind == ArgumentKind::value;
  const Word word = call.arguments()[length];
  return by_value ? static_cast<unsigned int>(word) : number_at(word);
}

// How many bytes of a struct the caller has, which its version says when it is not the newest.
std::size_t size_of(const Call& call, std::size_t argument) {
  const std::size_t size = call.signature().arguments[argument].size;
  if (call.signature().versioned != static_cast<int>(argument) || call.signature().version >> 24 == 0) return size;
  return number_at(call.arguments()[argument]) & 0xFFFFFFU;
}

class LyingDriver : public interpose::Hook {
 public:
  explicit LyingDriver(unsigned int seed) : liar(seed) {}

  Word on_call(const Call& call) noexcept override {
    if (!call.returns_code()) return 0;
    if (ScriptedDriver::is_ground(call.symbol()) && !ScriptedDriver::describes_records(call.symbol()))
      return ground_.on_call(call);
    const auto arguments = call.signature().arguments;
    // Arrays first: how much room there is stands in counts that are lied about afterwards.
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto& argument = arguments[i];
      const bool array = argument.kind == ArgumentKind::array || argument.kind == ArgumentKind::text_out ||
                         argument.kind == ArgumentKind::keyed_array;
      if (array && call.arguments()[i])
        liar.scribble(reinterpret_cast<void*>(call.arguments()[i]),
                      std::min(room_of(call, argument) * argument.size, kMostBytes));
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto& argument = arguments[i];
      void* const place = reinterpret_cast<void*>(call.arguments()[i]);
      const bool out = argument.kind == ArgumentKind::output || argument.kind == ArgumentKind::inout;
      if (!out || !place || call.signature().holds_pointers) continue;
      if (argument.size == sizeof(unsigned int)) {
        const unsigned int lie = ++lies_ % 8 == 0 ? liar.number() : liar.number() % 100;
        std::memcpy(place, &lie, sizeof lie);
      } else {
        liar.scribble(place, size_of(call, i));
      }
    }
    lists_ += call.signature().holds_pointers && scribble_pointer_struct(liar, call);
    return static_cast<Word>(liar.answer().code);
  }

  int lists() const { return lists_; }

  Liar liar;

 private:
  ScriptedDriver ground_;
  int lists_ = 0;          // structs with pointers
  unsigned int lies_ = 0;  // large numbers now and then: a list of millions takes its time
};

TEST(Hostile, NoMethodFollowsADriverThatLies) {
  EXPECT_EQ(unknown_pointer_structs(), "");
  int answers = 0, lists = 0;
  for (unsigned int seed = 1; seed <= kSeeds; ++seed) {
    const auto driver = std::make_shared<LyingDriver>(seed);
    const auto wrapped = interpose::wrap(whole_table(), driver).value();
    const Objects objects(Library::from_table(wrapped.table()).value());
    for (const Method& method : methods()) {
      SCOPED_TRACE(std::string(method.cpp) + ", seed " + std::to_string(seed));
      driver->liar.calls = 0;
      const Answer answer = call_of(method)(objects);
      answers += answer.ok;
      ASSERT_LE(driver->liar.calls, kMostCalls);
      if (answer.ok) continue;
      EXPECT_NE(answer.code, Errc::success);
      EXPECT_FALSE(answer.message.empty());
      EXPECT_FALSE(name_of(answer.code).empty());
      if (testing::Test::HasFailure()) return;
    }
    lists += driver->lists();
  }
  EXPECT_GT(lists, 1000);
  EXPECT_GT(answers, 1000);
}

}  // namespace
}  // namespace nvmlkit::nvml::test
