#include "libraries/cufft/stages.hpp"

#include <cstring>
#include <mutex>
#include <string>

#include "libraries/common/kernel.hpp"

namespace nvmlkit::cufft {
namespace {

using libraries::Running;

// The whole, between two stages: there from the first GPU that writes to the last one that reads.
class Exchange {
 public:
  Exchange(std::size_t bytes, int readers) : size_(bytes), readers_(readers) {}

  std::byte* bytes() {
    const std::lock_guard lock(mutex_);
    if (!bytes_) {
      bytes_.reset(new std::byte[size_]);
      left_ = readers_;
    }
    return bytes_.get();
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    if (--left_ == 0) bytes_.reset();
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<std::byte[]> bytes_;
  const std::size_t size_;
  const int readers_;
  int left_ = 0;
};

// visit(offset in the part, offset in the whole, numbers side by side).
template <class Visit>
void each_run(const Part& part, Visit visit) {
  const auto& [outer, middle, inner] = part.loops;
  const bool is_dense = inner.in_whole == 1;
  for (std::int64_t i = 0; i < outer.count; ++i)
    for (std::int64_t j = 0; j < middle.count; ++j) {
      const auto at = i * outer.step + j * middle.step;
      const auto in_whole = part.first + i * outer.in_whole + j * middle.in_whole;
      if (is_dense) {
        visit(at, in_whole, inner.count);
        continue;
      }
      for (std::int64_t k = 0; k < inner.count; ++k) visit(at + k * inner.step, in_whole + k * inner.in_whole, 1);
    }
}

void gather(const Part& part, std::size_t number, const std::byte* whole, std::byte* out) {
  each_run(part, [&](std::int64_t at, std::int64_t in_whole, std::int64_t count) {
    std::memcpy(out + static_cast<std::size_t>(at) * number, whole + static_cast<std::size_t>(in_whole) * number,
                static_cast<std::size_t>(count) * number);
  });
}

void scatter(const Part& part, std::size_t number, const std::byte* in, std::byte* whole) {
  each_run(part, [&](std::int64_t at, std::int64_t in_whole, std::int64_t count) {
    std::memcpy(whole + static_cast<std::size_t>(in_whole) * number, in + static_cast<std::size_t>(at) * number,
                static_cast<std::size_t>(count) * number);
  });
}

// One call of run_stages(). It does not hold the GPUs: a stream cannot end in work of its own.
struct Run {
  std::vector<std::string> gpus;  // their bus ids
  std::shared_ptr<const Stages> stages;
  std::vector<void*> in, out;
  std::vector<std::unique_ptr<Exchange>> exchanges;  // behind each stage but the last one

  void perform(Running& running, std::size_t index, int gpu) const;
  void count_traffic(Running& running, std::size_t index, int gpu) const;
};

void Run::perform(Running& running, std::size_t index, int gpu) const {
  const auto& stage = stages->all[index];
  const auto g = static_cast<std::size_t>(gpu);
  const bool is_first = index == 0, is_last = index + 1 == stages->all.size();
  std::vector<std::byte> between;
  std::byte* numbers = nullptr;
  if (is_last) {
    numbers = static_cast<std::byte*>(running.write(out[g], stages->counts_after[g], stages->number));
  } else if (!is_first) {
    between.resize(static_cast<std::size_t>(stage.from[g].count()) * stages->number);
    numbers = between.data();
  } else if (stage.work.empty()) {
    numbers = static_cast<std::byte*>(
        const_cast<void*>(running.read(static_cast<const void*>(in[g]), stages->counts[g], stages->number)));
  } else {
    numbers = static_cast<std::byte*>(running.write(in[g], stages->counts[g], stages->number));
  }
  if (!is_first) {
    gather(stage.from[g], stages->number, exchanges[index - 1]->bytes(), numbers);
    exchanges[index - 1]->leave();
  }
  if (!stage.work.empty()) stage.work[g](numbers);
  if (!is_last) scatter(stage.to[g], stages->number, numbers, exchanges[index]->bytes());
  count_traffic(running, index, gpu);
}

// The two ways of dividing the whole are independent: of what a GPU has, each other one gets its share.
void Run::count_traffic(Running& running, std::size_t index, int gpu) const {
  const auto bytes_of = [&](const Part& sent, const Part& received) {
    const double share = static_cast<double>(received.count()) / static_cast<double>(stages->whole);
    return static_cast<std::uint64_t>(static_cast<double>(sent.count()) * share) * stages->number;
  };
  const auto g = static_cast<std::size_t>(gpu);
  for (std::size_t peer = 0; peer < gpus.size(); ++peer) {
    if (gpus[peer] == gpus[g]) continue;
    std::uint64_t sent = 0, received = 0;
    if (index + 1 < stages->all.size()) sent = bytes_of(stages->all[index].to[g], stages->all[index + 1].from[peer]);
    if (index > 0) received = bytes_of(stages->all[index - 1].to[peer], stages->all[index].from[g]);
    running.count_traffic(*calls()->driver, gpus[peer].c_str(), sent, received);
  }
}

}  // namespace

cuda::CUresult run_stages(const Gpus& gpus, CUstream of_program, const std::shared_ptr<const Stages>& stages,
                          const std::vector<void*>& in, const std::vector<void*>& out) {
  const auto run = std::make_shared<Run>(Run{{}, stages, in, out, {}});
  for (int g = 0; g < gpus.count(); ++g) run->gpus.push_back(gpus[g].bus_id);
  const auto stage_count = stages->all.size();
  const auto share = 1.0 / static_cast<double>(stage_count) / static_cast<double>(gpus.count());
  const auto bytes = static_cast<std::size_t>(stages->whole) * stages->number;
  for (std::size_t i = 0; i + 1 < stage_count; ++i)
    run->exchanges.push_back(std::make_unique<Exchange>(bytes, gpus.count()));
  auto result = gpus.begin(of_program);
  for (std::size_t i = 0; i < stage_count && result == cuda::CUDA_SUCCESS; ++i) {
    if (i > 0) result = gpus.meet();
    for (int g = 0; g < gpus.count() && result == cuda::CUDA_SUCCESS; ++g) {
      const InContext in_context(gpus[g].context);
      const libraries::Cost cost{.operations = stages->operations * share,
                                 .bytes = 2.0 * static_cast<double>(bytes) / gpus.count()};
      result = libraries::enqueue(*calls()->driver, gpus[g].stream, stages->name, cost,
                                  [run, i, g](Running& running) { run->perform(running, i, g); });
    }
  }
  const auto ended = gpus.end(of_program);
  return result == cuda::CUDA_SUCCESS ? ended : result;
}

Stages reordered(const Spread& spread, cufftXtSubFormat from, cufftXtSubFormat to) {
  Stages out;
  out.whole = spread.count();
  out.number = spread.number();
  out.name = "cufft_reorder";
  out.all.resize(2);
  for (int g = 0; g < spread.gpus(); ++g) {
    out.all[0].to.push_back(spread.part(from, g));
    out.all[1].from.push_back(spread.part(to, g));
    out.counts.push_back(out.all[0].to.back().count());
    out.counts_after.push_back(out.all[1].from.back().count());
  }
  return out;
}

}  // namespace nvmlkit::cufft
