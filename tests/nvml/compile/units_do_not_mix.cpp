// Must compile as it is, and not with any of the mistakes.
#include <nvmlkit/units.hpp>

using namespace nvmlkit::nvml;

void limit(Milliwatts);

void use() {
  limit(Milliwatts(300000));
  limit(Watts(300));
  static_cast<void>(Watts(Milliwatts(300500)).count() + Mebibytes(Bytes(1)).count());
#if defined(MISTAKE_OTHER_UNIT)
  limit(Megahertz(300000));
#elif defined(MISTAKE_PLAIN_NUMBER)
  limit(300000);
#elif defined(MISTAKE_IMPLICIT_LOSS)
  const Watts power = Milliwatts(300500);
  static_cast<void>(power);
#elif defined(MISTAKE_CONVERT)
  static_cast<void>(Watts(Joules(1)));
#elif defined(MISTAKE_FRACTION)
  static_cast<void>(Watts(1) * 0.5);
#elif defined(MISTAKE_COMPARE)
  static_cast<void>(Milliwatts(1) == Celsius(1));
#elif defined(MISTAKE_ADD)
  static_cast<void>(Milliwatts(1) + Millijoules(1));
#endif
}
