#include "cluster/mpi_group.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <thread>
#include <utility>

#include "cluster/framed_group.hpp"
#include "cluster/mpi_calls.hpp"

namespace darboux {

namespace {

using Clock = std::chrono::steady_clock;

/// Where a process is, and which one it is there.
struct Peer {
  std::string place;  // a machine, and a space of process numbers on it
  std::string host;
  int process = 0;
};

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Containers on one machine may have process numbers of their own.
std::string own_place() {
  std::error_code unknown;
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot + " " + std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string();
}

/// One that was killed and that nobody has waited for yet is there, as a zombie.
bool is_there(int process) {
  if (::kill(process, 0) != 0 && errno == ESRCH) return false;
  std::string status;
  std::getline(std::ifstream(fmt::format("/proc/{}/stat", process)), status);
  const auto name_end = status.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= status.size() || status[name_end + 2] != 'Z';
}

class MpiCarrier final : public Carrier {
 public:
  explicit MpiCarrier(const DarbouxMpi& mpi) : mpi_(mpi) {}

  [[nodiscard]] int rank() const noexcept override { return mpi_.rank; }
  [[nodiscard]] int size() const noexcept override { return mpi_.size; }

  void exchange(const void* mine, std::span<const int> blocks, void* all) override {
    require(mpi_.begin(mine, blocks.data(), all));
    if (is_done()) return;
    using namespace std::chrono_literals;
    const auto begin = Clock::now();
    while (!is_done()) {
      if (Clock::now() - begin < 1ms)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(50us);
      if (!watch_ || !watch_->has_loss()) continue;
      if (is_done()) return;  // what it gave before was still on its way
      throw PeerFailure(watch_->loss());
    }
  }

  [[nodiscard]] std::string describe(int rank) const override {
    if (peers_.empty()) return fmt::format("rank {} of {}", rank, size());
    const Peer& peer = peers_[static_cast<std::size_t>(rank)];
    return fmt::format("rank {} of {} (process {} on {})", rank, size(), peer.process, peer.host);
  }
  [[nodiscard]] LossWatch* watch() noexcept override { return watch_.get(); }
  void close() noexcept override {
    watch_.reset();  // they may end now
    mpi_.close();
  }
  void know(std::vector<Peer> peers, const EndOfProcess& end) {
    peers_ = std::move(peers);
    const Peer& own = peers_[static_cast<std::size_t>(rank())];
    if (std::ranges::count(peers_, own.place, &Peer::place) < 2) return;
    watch_ = std::make_unique<LossWatch>([this] { return who_has_ended(); }, end);
  }

 private:
  [[nodiscard]] bool is_done() const {
    int done = 0;
    require(mpi_.look(&done));
    return done != 0;
  }
  void require(int error) const {
    if (error == 0) return;
    std::array<char, 512> words{};
    mpi_.describe(error, words.data(), static_cast<int>(words.size()));
    throw PeerFailure(fmt::format("{} says: {}", mpi_.version, words.data()));
  }
  /// Nothing where all of this machine are there.
  [[nodiscard]] std::string who_has_ended() const {
    for (std::size_t r = 0; r < peers_.size(); ++r) {
      if (peers_[r].place != peers_[static_cast<std::size_t>(rank())].place || is_there(peers_[r].process)) continue;
      return describe(static_cast<int>(r)) + " has ended without a word";
    }
    return "";
  }

  DarbouxMpi mpi_;
  std::vector<Peer> peers_;
  std::unique_ptr<LossWatch> watch_;
};

DarbouxMpi load(const std::filesystem::path& module) {
  // Plug-ins of MPI look for what it defines among all that is loaded.
  void* const library = ::dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw InputError(fmt::format("MPI cannot be loaded: {}", ::dlerror()));
  const auto open = reinterpret_cast<decltype(&darboux_mpi_open_2)>(::dlsym(library, "darboux_mpi_open_2"));
  if (open == nullptr)
    throw InputError(
        fmt::format("{}: is not of this version of darboux: build and install both together", module.string()));
  DarbouxMpi mpi{};
  if (const int error = open(&mpi)) throw InputError(fmt::format("MPI cannot be started: error {}", error));
  return mpi;
}

/// Of all processes, by their ranks.
std::vector<Peer> find_peers(Group& group) {
  const auto places = group.gather(own_place()), hosts = group.gather(host_name()),
             processes = group.gather(fmt::to_string(::getpid()));
  std::vector<Peer> peers;
  for (std::size_t r = 0; r < places.size(); ++r) {
    Peer peer{.place = places[r], .host = hosts[r]};
    std::from_chars(processes[r].data(), processes[r].data() + processes[r].size(), peer.process);
    peers.push_back(std::move(peer));
  }
  return peers;
}

}  // namespace

std::unique_ptr<Group> open_mpi_group(const Launch& launch, const std::filesystem::path& module,
                                      const EndOfProcess& end) {
  const DarbouxMpi mpi = load(module);
  if (mpi.is_serialized == 0) {
    mpi.close();
    throw InputError(
        fmt::format("{} lets one thread of a process call it: must grant MPI_THREAD_SERIALIZED; build darboux with an "
                    "MPI that has support for threads",
                    mpi.version));
  }
  if (mpi.size != launch.size)
    throw InputError(
        fmt::format("{} started this program {} times, but the MPI that it was built with, {}, knows of {}: must be "
                    "the launcher of "
                    "that MPI, or srun with a plug-in that it understands (srun --mpi=list)",
                    launch.launcher, launch.size, mpi.version, mpi.size));
  auto carrier = std::make_unique<MpiCarrier>(mpi);
  MpiCarrier& connected = *carrier;
  auto group = std::make_unique<FramedGroup>(std::move(carrier));
  connected.know(find_peers(*group), end);
  return group;
}

}  // namespace darboux
