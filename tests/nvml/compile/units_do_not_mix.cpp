// Must compile as it is, and not with any of the mistakes.
#include <nvmlkit/units.hpp>

using namespace nvmlkit::nvml;

void limit(Milliwatts);

void use() {
  limit(Milliwatts(300000));
#if defined(MISTAKE_OTHER_UNIT)
  limit(Megahertz(300000));
#elif defined(MISTAKE_PLAIN_NUMBER)
  limit(300000);
#elif defined(MISTAKE_COMPARE)
  static_cast<void>(Milliwatts(1) == Celsius(1));
#elif defined(MISTAKE_ADD)
  static_cast<void>(Milliwatts(1) + Millijoules(1));
#endif
}
