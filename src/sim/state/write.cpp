#include "sim/state/write.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "sim/events/ring.hpp"
#include "sim/links/links.hpp"
#include "sim/processes/scheduling.hpp"
#include "sim/state/hash.hpp"
#include "sim/state/read.hpp"
#include "sim/telemetry/change.hpp"

namespace nvmlkit::sim::state {
namespace {

constexpr int kLongestWaitS = 3;  // for a writer that is stopped
constexpr int kMostRounds = 20;

struct Block {
  std::byte* at;
  std::size_t size;
  Sequence* sequence;  // null: only the common one
};

std::byte* block_of(const Machine& machine) { return reinterpret_cast<std::byte*>(&machine.header()); }

Block block(const Machine& machine, std::uint32_t number) {
  auto& header = machine.header();
  if (number == kHostBlock) return {block_of(machine) + kHostAt, sizeof(model::Machine), nullptr};
  const std::size_t gpus = machine.gpus().size();
  if (number > gpus) {
    const std::size_t gpu = number - 1 - gpus;
    return {block_of(machine) + tables_at(gpus) + gpu * sizeof(processes::Table), sizeof(processes::Table),
            &header.gpus[gpu]};
  }
  const std::size_t gpu = number - 1;
  return {block_of(machine) + kGpusAt + gpu * sizeof(model::Gpu), sizeof(model::Gpu), &header.gpus[gpu]};
}

std::byte* journal_bytes(const Machine& machine) { return block_of(machine) + journal_at(machine.gpus().size()); }

std::uint64_t checksum(const Journal& journal, const std::byte* bytes) {
  Hash hash;
  hash.add(journal.block);
  hash.add(journal.offset);
  hash.add(journal.size);
  hash.bytes(bytes, journal.size);
  return hash.value();
}

// Both add to an odd or an even number whatever a dead writer left.
void begin(Sequence& sequence) {
  const auto now = sequence.load(std::memory_order_relaxed);
  sequence.exchange((now | 1) == now ? now + 2 : now + 1, std::memory_order_acq_rel);
}
void end(Sequence& sequence) {
  const auto now = sequence.load(std::memory_order_relaxed);
  if (now & 1) sequence.store(now + 1, std::memory_order_release);
}

// The order is what a death at any instruction must find: the journal is whole before a byte changes, and empty before
// a reader can see the change.
void overwrite(const Machine& machine, std::uint32_t number, std::size_t offset, const std::byte* with,
               std::size_t size) {
  auto& header = machine.header();
  auto& journal = header.journal;
  const Block target = block(machine, number);
  journal.block = number;
  journal.offset = static_cast<std::uint32_t>(offset);
  journal.size = static_cast<std::uint32_t>(size);
  std::memcpy(journal_bytes(machine), target.at + offset, size);
  journal.checksum = checksum(journal, journal_bytes(machine));
  journal.valid.store(1, std::memory_order_release);

  begin(header.any);
  if (target.sequence) begin(*target.sequence);
  std::memcpy(target.at + offset, with, size);
  journal.valid.store(0, std::memory_order_release);
  if (target.sequence) end(*target.sequence);
  end(header.any);

  header.writes.fetch_add(1, std::memory_order_relaxed);
  header.last_writer.store(static_cast<std::uint32_t>(getpid()), std::memory_order_relaxed);
}

// Undoes what a writer that died had begun. Dying here is no harm: the next one does it again.
void recover(const Machine& machine) {
  auto& header = machine.header();
  auto& journal = header.journal;
  const auto gpus = machine.gpus().size();
  if (journal.valid.load(std::memory_order_acquire) == 1 && journal.block <= 2 * gpus &&
      journal.size <= kLargestBlock) {
    const Block target = block(machine, journal.block);
    const bool fits = journal.offset <= target.size && journal.size <= target.size - journal.offset;
    if (fits && journal.checksum == checksum(journal, journal_bytes(machine))) {
      begin(header.any);
      if (target.sequence) begin(*target.sequence);
      std::memcpy(target.at + journal.offset, journal_bytes(machine), journal.size);
    }
  }
  journal.valid.store(0, std::memory_order_release);
  for (std::size_t i = 0; i < gpus; ++i) end(header.gpus[i]);
  end(header.any);
  faults::update_attention(machine);
  events::ring_bell(machine);
}

// In the child of a fork nobody will ever release a private machine's lock that another thread held.
void renew_lock(const Machine& machine) {
  auto& header = machine.header();
  std::memset(static_cast<void*>(&header.lock), 0, sizeof header.lock);
  make_header(header, machine.gpus().size());
  recover(machine);
}

// A page of the process tables that the full disk has no room for would end this process when it is written. Kernels
// before 5.14 do not tell.
bool take_room([[maybe_unused]] std::byte* at, [[maybe_unused]] std::size_t size) {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(at) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(at) + size;
  return madvise(reinterpret_cast<void*>(first), end - first, MADV_POPULATE_WRITE) == 0 ||
         (errno != ENOMEM && errno != EFAULT && errno != ENOSPC);
#else
  return true;
#endif
}

// Does somebody hold the lock who will not go on by himself, as far as the C library tells who that is? A lock that
// nobody holds is on its way to one who has not got a CPU yet.
bool holder_is_stopped([[maybe_unused]] const pthread_mutex_t& mutex) {
#ifdef __GLIBC__
  const auto owner = [&] { return __atomic_load_n(&mutex.__data.__owner, __ATOMIC_RELAXED); };
  const auto holder = owner();
  // One that has let go meanwhile may sleep for another reason.
  return holder != 0 && !processes::wants_to_run(static_cast<std::uint32_t>(holder)) && owner() == holder;
#else
  return true;
#endif
}

Refusal acquire(const Machine& machine) {
  if (machine.access() == Access::read_only) return Refusal::read_only;
  if (machine.access() == Access::private_memory && machine.entered_by_child()) renew_lock(machine);
  auto& header = machine.header();
  // The lock is not fair: where many write, one may wait long although nobody is stopped. It goes on for as long as
  // others get their turn, or who holds it waits for a CPU as we do.
  for (int rounds_without_a_turn = 0; rounds_without_a_turn < kMostRounds; ++rounds_without_a_turn) {
    const auto turns = header.turns.load(std::memory_order_relaxed);
    timespec deadline{};
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += kLongestWaitS;
    switch (pthread_mutex_timedlock(&header.lock, &deadline)) {
      case EOWNERDEAD:
        recover(machine);
        pthread_mutex_consistent(&header.lock);
        [[fallthrough]];
      case 0:
        header.turns.fetch_add(1, std::memory_order_relaxed);
        return Refusal::none;
      case ETIMEDOUT: {
        const bool stopped = holder_is_stopped(header.lock);
        // Only then is it the same holder all the time, and not one who slept between two turns.
        if (header.turns.load(std::memory_order_relaxed) != turns)
          rounds_without_a_turn = 0;
        else if (stopped)
          return Refusal::busy;
        break;
      }
      default:
        return Refusal::busy;
    }
  }
  return Refusal::busy;
}

}  // namespace

Lock::Lock(const Machine& machine) : machine_(machine), refusal_(acquire(machine)) {}

Lock::~Lock() {
  if (refusal_ == Refusal::none) pthread_mutex_unlock(&machine_.header().lock);
}

bool Lock::replace(const void* piece, const void* with, std::size_t size) const {
  const auto gpus = machine_.gpus().size();
  const auto* at = static_cast<const std::byte*>(piece);
  const auto place = static_cast<std::size_t>(at - block_of(machine_));
  std::uint32_t number = kHostBlock;
  if (place >= tables_at(gpus)) {
    number = static_cast<std::uint32_t>(1 + gpus + (place - tables_at(gpus)) / sizeof(processes::Table));
    if (machine_.access() == Access::shared && !take_room(const_cast<std::byte*>(at), size)) return false;
  } else if (place >= kGpusAt) {
    number = static_cast<std::uint32_t>(1 + (place - kGpusAt) / sizeof(model::Gpu));
  }
  if (std::memcmp(piece, with, size) != 0)
    overwrite(machine_, number, static_cast<std::size_t>(at - block(machine_, number).at),
              static_cast<const std::byte*>(with), size);
  return true;
}

void Edit::Free::operator()(model::Gpu* gpu) const { std::free(gpu); }

Edit::Edit(const Lock& lock, std::size_t gpu)
    : lock_(lock), index_(gpu), copy_(static_cast<model::Gpu*>(std::malloc(sizeof(model::Gpu)))) {
  if (copy_) std::memcpy(static_cast<void*>(copy_.get()), &lock.machine().gpus()[gpu], sizeof(model::Gpu));
}

void Edit::commit() {
  const auto& machine = lock_.machine();
  telemetry::settle(machine, machine.gpus()[index_], *copy_);
  links::settle(machine, machine.gpus()[index_], *copy_);
  const events::Noted noted = std::exchange(copy_->events, {});
  const model::Gpu& gpu = machine.gpus()[index_];
  const auto availability = gpu.faults.availability;
  const bool attention = faults::needs_attention(gpu) || faults::needs_attention(*copy_);
  // Before and after: whoever dies between has not hidden a fault.
  if (attention) machine.attention().watched.store(1, std::memory_order_release);
  write();
  if (attention) faults::update_attention(machine);
  for (std::uint32_t i = 0; i < std::min(noted.count, events::Noted::kCapacity); ++i)
    events::publish(machine, static_cast<std::uint32_t>(index_), noted.events[i]);
  if (gpu.faults.availability != availability) events::ring_bell(machine);
  links::tell_peers(lock_, index_);
}

void Edit::write() {
  constexpr std::size_t kStep = 64;
  const auto* now = reinterpret_cast<const std::byte*>(&lock_.machine().gpus()[index_]);
  const auto* wanted = reinterpret_cast<const std::byte*>(copy_.get());
  std::size_t first = sizeof(model::Gpu), last = 0;
  for (std::size_t at = 0; at < sizeof(model::Gpu); at += kStep) {
    const std::size_t size = std::min(kStep, sizeof(model::Gpu) - at);
    if (std::memcmp(now + at, wanted + at, size) == 0) continue;
    first = std::min(first, at);
    last = at + size;
  }
  if (first < last)
    overwrite(lock_.machine(), static_cast<std::uint32_t>(1 + index_), first, wanted + first, last - first);
}

bool detail::read_patiently(const Machine& machine, const Sequence& sequence, void (*read)(void*), void* context) {
  const auto again = [&] { read(context); };
  constexpr int kAttempts = 200;
  for (int i = 0; i < kAttempts; ++i) {
    if (i > kAttempts / 2) sched_yield();
    if (try_read(sequence, again)) return true;
  }
  const Lock lock(machine);
  if (lock) {
    again();
    return true;
  }
  if (lock.refusal() == Refusal::busy) return false;
  for (int ms = 0; ms < kLongestWaitS * 1000; ++ms) {
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
    if (try_read(sequence, again)) return true;
  }
  return false;
}

}  // namespace nvmlkit::sim::state
