/* SPDX-License-Identifier: MIT */
/*
 * An Env whose table files take a device's time to read.
 *
 *   latency   a read sleeps, then copies from the kernel's page cache. As a kernel's readahead does, a thread that reads a file
 *             on from where it was has the next readahead_kib for one latency. The device serves any number of reads at a
 *             time, so what threads share is the cache alone.
 *   O_DIRECT  reads go to the device, past the page cache, one block at a time. Nothing is read ahead.
 *
 * LevelDB's own Env maps files and hands out addresses in the mapping; then LevelDB caches no block. Here every block is read
 * into memory of its own.
 */
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <leveldb/env.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

namespace bench
{

namespace
{

struct Device {
    bool is_direct;
    unsigned latency_us;
    uint64_t readahead_bytes;
};

/* Where a thread's reading of files is: how a scan is told from gets. */
struct Stream {
    const void *file;
    uint64_t next;  /* behind what was read last */
    uint64_t ahead; /* up to here the device was asked already */
};
thread_local Stream stream;

leveldb::Status io_error(const std::string &name)
{
    return leveldb::Status::IOError(name, std::strerror(errno));
}

class DeviceFile final : public leveldb::RandomAccessFile
{
  public:
    DeviceFile(std::string name, int fd, const Device &device) : name_(std::move(name)), fd_(fd), device_(device)
    {
    }

    ~DeviceFile() override
    {
        close(fd_);
    }

    leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice *result, char *scratch) const override
    {
        ssize_t bytes;

        if (device_.is_direct)
            return read_direct(offset, n, result, scratch);
        wait(offset, n);
        bytes = pread(fd_, scratch, n, static_cast<off_t>(offset));
        *result = leveldb::Slice(scratch, bytes < 0 ? 0 : static_cast<size_t>(bytes));
        return bytes < 0 ? io_error(name_) : leveldb::Status::OK();
    }

  private:
    /* A block that was found in the cache leaves a gap, which is no reason to begin anew. */
    bool goes_on(uint64_t offset) const
    {
        return stream.file == this && offset >= stream.next && offset <= stream.next + device_.readahead_bytes;
    }

    void wait(uint64_t offset, size_t n) const
    {
        struct timespec pause = {0, static_cast<long>(device_.latency_us) * 1000};
        bool is_stream = goes_on(offset), is_ahead = is_stream && offset + n <= stream.ahead;

        if (!is_ahead && device_.latency_us)
            nanosleep(&pause, nullptr);
        if (!is_ahead)
            stream.ahead = offset + (is_stream && device_.readahead_bytes > n ? device_.readahead_bytes : n);
        stream.file = this;
        stream.next = offset + n;
    }

    /* O_DIRECT wants whole pages, at addresses of pages. */
    leveldb::Status read_direct(uint64_t offset, size_t n, leveldb::Slice *result, char *scratch) const
    {
        constexpr uint64_t PAGE = 4096;
        uint64_t begin = offset / PAGE * PAGE, end = (offset + n + PAGE - 1) / PAGE * PAGE;
        void *pages = nullptr;
        ssize_t bytes;
        size_t skipped = static_cast<size_t>(offset - begin), length = 0;

        if (posix_memalign(&pages, PAGE, static_cast<size_t>(end - begin)) != 0)
            return leveldb::Status::IOError(name_, "no memory");
        bytes = pread(fd_, pages, static_cast<size_t>(end - begin), static_cast<off_t>(begin));
        if (bytes > static_cast<ssize_t>(skipped)) {
            length = static_cast<size_t>(bytes) - skipped;
            length = length < n ? length : n;
            std::memcpy(scratch, static_cast<char *>(pages) + skipped, length);
        }
        *result = leveldb::Slice(scratch, length);
        leveldb::Status status = bytes < 0 ? io_error(name_) : leveldb::Status::OK();
        free(pages);
        return status;
    }

    const std::string name_;
    const int fd_;
    const Device device_;
};

class DeviceEnv final : public leveldb::EnvWrapper
{
  public:
    explicit DeviceEnv(const Device &device) : EnvWrapper(leveldb::Env::Default()), device_(device)
    {
        prctl(PR_SET_TIMERSLACK, 1UL); /* else a sleep is 50 us longer; threads inherit it */
    }

    leveldb::Status NewRandomAccessFile(const std::string &name, leveldb::RandomAccessFile **result) override
    {
        int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC | (device_.is_direct ? O_DIRECT : 0));

        *result = fd < 0 ? nullptr : new DeviceFile(name, fd, device_);
        return fd < 0 ? io_error(name) : leveldb::Status::OK();
    }

  private:
    const Device device_;
};

} // namespace

leveldb::Env *new_device_env(const Options &options)
{
    return new DeviceEnv({options.has_direct_io, options.latency_us, uint64_t(options.readahead_kib) << 10});
}

} // namespace bench
