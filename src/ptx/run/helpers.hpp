// Threads that help with long launches. They start when a launch first justifies it, and sleep without work.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>

namespace nvmlkit::ptx {

class Helpers {
 public:
  // Work that several threads may do at once.
  class Work {
   public:
    // A thread's part of it, until nothing is left that it could take up.
    virtual void help() noexcept = 0;

   protected:
    ~Work() = default;
  };

  // Those of this process. A child that was forked has none, and gets its own.
  static Helpers& own();

  // Up to so many threads come to help. False: there are none.
  bool lend(Work& work, unsigned threads);
  // No thread comes any more. Calls `meanwhile` now and then until those that came have gone.
  template <class F>
  void withdraw(Work& work, F meanwhile) {
    std::unique_lock lock(mutex_);
    const auto job = find(work);
    job->wanted = 0;
    while (job->helping > 0)
      if (done_.wait_for(lock, kPatience) == std::cv_status::timeout) meanwhile();
    jobs_.erase(job);
  }

 private:
  struct Job {
    Work* work;
    unsigned wanted;  // threads that may still come
    unsigned helping;
  };
  static constexpr auto kPatience = std::chrono::milliseconds(50);

  std::list<Job>::iterator find(const Work& work);
  bool start_thread();
  void live();

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::list<Job> jobs_;
  unsigned threads_ = 0, idle_ = 0;
};

// Cores that this process may use: by its affinity and the limits of its control groups.
unsigned usable_cores();

}  // namespace nvmlkit::ptx
