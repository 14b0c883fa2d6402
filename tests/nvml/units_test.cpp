// Quantities of several units: what converts by itself, what is lost, and what is measured in something else.
#include <gtest/gtest.h>

#include <nvmlkit/units.hpp>
#include <sstream>

namespace nvmlkit::nvml {
namespace {

template <class From, class To>
constexpr bool kImplicit = std::is_convertible_v<From, To>;
template <class From, class To>
constexpr bool kExplicit = std::is_constructible_v<To, From>;

static_assert(kImplicit<Watts, Milliwatts> && kImplicit<Kilowatts, Milliwatts> && kImplicit<Gibibytes, Bytes>);
static_assert(!kImplicit<Milliwatts, Watts> && kExplicit<Milliwatts, Watts> && kExplicit<Bytes, Mebibytes>);
static_assert(!kExplicit<Joules, Watts> && !kExplicit<Celsius, Percent> && !kExplicit<double, Watts>);

static_assert(Milliwatts(Watts(300)).count() == 300'000);
static_assert(Watts(Milliwatts(67'900)).count() == 67 && Watts(Milliwatts(-67'900)).count() == -67);
static_assert(Mebibytes(Bytes(85'899'345'920)).count() == 81'920 && Bytes(1) == Bits(8));
static_assert(KilowattHours(Joules(7'200'000)).count() == 2 && WattHours(Millijoules(3'600'000)).count() == 1);
static_assert(Milliwatts(67'900).in<Watts>() == 67.9 && Megahertz(1'980).in<Gigahertz>() == 1.98);

static_assert(Watts(1) + Milliwatts(5) == Milliwatts(1'005));
static_assert(std::is_same_v<decltype(Watts(1) - Milliwatts(5)), Milliwatts>);
static_assert(std::is_same_v<decltype(Watts(1) - Watts(5)), Watts>);
static_assert(Watts(2) > Milliwatts(1'999) && Watts(2) == Milliwatts(2'000) && Milliwatts(1) < Watts(1));
static_assert(2 * Watts(3) == Watts(6) && Watts(7) / 2 == Watts(3) && -Watts(3) == Watts(-3));
static_assert(Bytes(40) / Bytes(80) == 0.5 && Watts(1) / Milliwatts(500) == 2);

// The largest memory that a driver could name goes to a coarser unit and back without an overflow.
static_assert(Mebibytes(Bytes(INT64_MAX)).count() == INT64_MAX >> 20);

TEST(Units, TextsHaveTheirUnit) {
  EXPECT_EQ(to_string(Milliwatts(300'000)), "300000 mW");
  EXPECT_EQ(to_string(Watts(Milliwatts(300'900))), "300 W");
  EXPECT_EQ(to_string(Gibibytes(Bytes(85'899'345'920))), "80 GiB");
  std::ostringstream out;
  out << Celsius(-5) << ", " << Percent(7);
  EXPECT_EQ(out.str(), "-5 C, 7 %");
}

}  // namespace
}  // namespace nvmlkit::nvml
