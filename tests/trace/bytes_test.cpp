#include "trace/bytes.hpp"

#include <gtest/gtest.h>

#include <random>

namespace nvmlkit::trace {
namespace {

std::string stored(const std::string& bytes) {
  Buffer out;
  put_chunk(out, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return {reinterpret_cast<const char*>(out.data()), out.size()};
}

TEST(Bytes, ChunksComeBackAsTheyWere) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes(random() % 300, '\0');
    for (char& byte : bytes)
      if (random() % (1 + random() % 9) == 0) byte = static_cast<char>(random());
    const std::string file = stored(bytes);
    Cursor cursor(file);
    EXPECT_EQ(cursor.chunk(), bytes);
    EXPECT_TRUE(cursor.at_end() && !cursor.bad());
  }
}

TEST(Bytes, ZerosTakeLittleRoom) {
  EXPECT_LT(stored(std::string(19104, '\0')).size(), 8u);
  EXPECT_LE(stored("ab" + std::string(4000, '\0') + "cd").size(), 12u);
  EXPECT_LE(stored(std::string(500, 'x')).size(), 504u);
}

TEST(Bytes, AnAbsentChunkIsNotAnEmptyOne) {
  Buffer out;
  put_absent(out);
  put_chunk(out, nullptr, 0);
  Cursor cursor(std::string_view(reinterpret_cast<const char*>(out.data()), out.size()));
  EXPECT_EQ(cursor.chunk(), std::nullopt);
  EXPECT_EQ(cursor.chunk(), "");
}

TEST(Bytes, PartsOfAChunkAreRefused) {
  const std::string whole = stored("abc" + std::string(40, '\0') + "defghijklmnop");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Cursor cursor(std::string_view(whole).substr(0, size));
    cursor.chunk();
    EXPECT_TRUE(cursor.bad()) << size;
  }
}

TEST(Bytes, AChunkIsNoLargerThanItsBudget) {
  const std::string whole = stored(std::string(100000, '\0'));
  Cursor cursor(whole, 99999);
  EXPECT_EQ(cursor.chunk(), std::nullopt);
  EXPECT_TRUE(cursor.bad());
}

TEST(Bytes, NumbersComeBackAsTheyWere) {
  for (const std::uint64_t number : {0ul, 1ul, 127ul, 128ul, 300ul, 1ul << 35, ~0ul}) {
    Buffer out;
    out.number(number);
    Cursor cursor(std::string_view(reinterpret_cast<const char*>(out.data()), out.size()));
    EXPECT_EQ(cursor.number(), number);
  }
  for (const std::int64_t number : {0l, -1l, 1l, 999l, -999l}) EXPECT_EQ(unfolded(folded(number)), number);
}

}  // namespace
}  // namespace nvmlkit::trace
