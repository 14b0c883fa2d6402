// The inputs of a GPU's live values. Part of the GPU's block: no pointers, zero bytes mean that nothing moves, and
// reading any bytes is safe.
#pragma once

#include <cstdint>

namespace nvmlkit::sim::telemetry {

// end + gain * e^(-s / time): how a value goes to where it wants to be.
struct Decay {
  double end;
  double gain;
  double time;  // seconds; 0: it is there

  double at(double s) const;
  double integral(double s) const;  // from 0 to s
};

// Why clocks are below the wanted ones.
struct Reason {
  enum : std::uint32_t { applications_clocks = 1, sw_power_cap = 2, sw_thermal = 4, hw_thermal = 8, power_brake = 16 };
};
inline constexpr std::uint32_t kCountedReasons[] = {
    Reason::sw_power_cap, Reason::sw_thermal, Reason::hw_thermal, Reason::power_brake,
    Reason::sw_power_cap | Reason::sw_thermal | Reason::hw_thermal | Reason::power_brake};

// Engines that a workload keeps busy.
struct Engine {
  enum : std::uint32_t { gpu, memory, encoder, decoder, jpeg, ofa, count };
};

// What multiprocessors do while kernels run.
struct Pipe {
  enum : std::uint32_t { sm, occupancy, integer, hmma, imma, dfma, fp64, fp32, fp16, count };
};

// What a GPU has done since it began to move.
struct Work {
  double busy_s;                 // with a workload
  double load_s[Engine::count];  // per cent times seconds of that
  double mix_s[Pipe::count];     // per cent of the time in which kernels ran, times its seconds
  double megacycles;             // of the graphics clock
};

enum class Activity : std::uint32_t {
  rest,     // as configured
  cooling,  // as rest, but still warm
  linger,   // nothing runs, the memory clock is still up
  busy,
};

// Utilization of the GPU and of its memory that lasts, and what comes on top of it in every second period.
struct SharedLoad {
  double calm[2], burst[2];  // from 0 to 1
  std::int64_t period_ns;    // 0: no bursts

  friend bool operator==(const SharedLoad&, const SharedLoad&) = default;
};

// A time in which every value has one closed form.
struct Phase {
  std::int64_t start_ns;
  Decay watts;                // of the GPU
  Decay fast, slow;           // how much warmer than at rest: the chip, the cooler
  Decay graphics_mhz;         // of busy phases
  double fan_room;            // warmth at which automatic fans turn their fastest
  double noise_watts;         // power moves by at most this, see noise.hpp
  double joules;              // used until the phase began
  double limited_s[5];        // time until the phase began, for each of counted_reasons
  double tx_bytes, rx_bytes;  // the same of the PCIe link
  double tx_rate, rx_rate;    // bytes per second
  double hot_spot;            // how much faster than the temperature the margin to the limit goes
  SharedLoad shared;          // what the processes of the GPU share of its utilization
  double shared_s[2];         // the integral of that until the phase began, in seconds of the whole GPU or memory
  Work done;                  // until the phase began
  std::uint32_t memory_mhz, video_idle_mhz, video_max_mhz;
  std::uint32_t performance_state, link_generation;
  std::uint32_t reasons;
  Activity activity;
  std::uint8_t load[Engine::count];  // per cent
  std::uint8_t mix[Pipe::count];     // per cent of the time in which kernels run
  std::uint8_t stepped;              // the graphics clock moves in steps of 15 MHz
};

inline constexpr std::uint32_t kMaxPhases = 24;
inline constexpr std::uint32_t kMaxFuture = 12;  // of them may lie ahead when a plan is made

struct State {
  std::uint32_t moving;  // some value may differ from the one that stands in the model
  std::uint32_t phase_count;
  Phase phases[kMaxPhases];  // by time, the first ones past
  std::int64_t started_ns;
  std::int64_t initialized_ns;    // by the driver: when it was loaded or the GPU was last reset
  std::int64_t until_ns;          // the workload's end; 0: none
  std::int64_t linger_ns;         // until then the memory clock stays up
  std::uint32_t initialize_anew;  // what a GPU reset asks for: initialized_ns is the time of the next commit
  std::uint64_t seed;
  std::uint64_t pinned;        // a bit for each model::Live
  std::uint64_t replaced[64];  // what stood in a pinned field before, as its first bytes
};

}  // namespace nvmlkit::sim::telemetry
