// Lets allocations fail, for tests: preloaded into a process, it stands before `operator new` and the allocators of C.
//
// Counted are the allocations that code of the watched modules asks for, itself or by libstdc++.  At each one whose turn it
// is, the process forks: in the child the allocation fails, in the parent it does not, and the parent waits for the child and
// notes how it ended.  So one run tries all of them, and no child repeats what came before its failure.

#include <execinfo.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

extern "C" void* __libc_malloc(size_t size);
extern "C" void* __libc_calloc(size_t count, size_t size);
extern "C" void* __libc_realloc(void* memory, size_t size);

namespace {

constexpr int MOST_RANGES = 512, DEEPEST = 12, MOST_FILES = 64;
constexpr unsigned PATIENCE = 60;  // seconds that a child may take

struct Range { uintptr_t begin, end; };

Range watched[MOST_RANGES], passed[MOST_RANGES];
int watched_count = 0, passed_count = 0;
bool is_armed = false, goes_on = false, is_child = false;
long counted = 0, first = 0, last = 0, step = 1;
int* statuses = nullptr;

bool is_in(const Range* ranges, int count, const void* address) {
    uintptr_t place = reinterpret_cast<uintptr_t>(address);
    for (int i = 0; i < count; ++i)
        if (ranges[i].begin <= place && place < ranges[i].end) return true;
    return false;
}

// Whether a watched module asks: directly, or through modules that are passed over.
bool is_ours(const void* caller) {
    if (is_in(watched, watched_count, caller)) return true;
    if (!is_in(passed, passed_count, caller)) return false;
    void* frames[DEEPEST];
    is_armed = false;  // backtrace may allocate
    int depth = backtrace(frames, DEEPEST);
    is_armed = true;
    bool has_passed = false;
    for (int i = 0; i < depth; ++i) {
        if (is_in(passed, passed_count, frames[i])) has_passed = true;
        else if (has_passed) return is_in(watched, watched_count, frames[i]);
    }
    return false;
}

// Files that are read, and standard error, are the child's own from now on: the parent goes on with its own.
void part_from_parent() {
    char name[32];
    for (int file = 3; file < MOST_FILES; ++file) {
        struct stat about;
        if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) continue;
        int flags = fcntl(file, F_GETFL);
        if ((flags & O_ACCMODE) != O_RDONLY) continue;
        std::snprintf(name, sizeof name, "/proc/self/fd/%d", file);
        int own = open(name, O_RDONLY | O_CLOEXEC);
        lseek(own, lseek(file, 0, SEEK_CUR), SEEK_SET);
        dup2(own, file);
        close(own);
    }
    int errors = memfd_create("errors", 0);
    dup2(errors, 2);
    close(errors);
}

bool fails(const void* caller) {
    if (!is_armed || !is_ours(caller)) return false;
    if (is_child) return true;  // all that come after the first fail as well
    ++counted;
    if (counted < first || counted > last || (counted - first) % step != 0) return false;
    is_armed = false;
    pid_t child = fork();
    if (child == 0) {
        alarm(PATIENCE);
        if (std::getenv("INJECTOR_TRACE") != nullptr) {  // which allocation it is
            void* frames[32];
            backtrace_symbols_fd(frames, backtrace(frames, 32), 2);
        }
        part_from_parent();
        is_child = true;
        is_armed = goes_on;
        return true;
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    statuses[counted - first] = status;
    is_armed = true;
    return false;
}

}  // namespace

extern "C" {

// Code between these addresses is watched; `passing`: whoever calls it counts instead.
void injector_watch(uintptr_t begin, uintptr_t end, int passing) {
    if (passing && passed_count < MOST_RANGES) passed[passed_count++] = {begin, end};
    if (!passing && watched_count < MOST_RANGES) watched[watched_count++] = {begin, end};
}

// From now on the allocations `from`, `from` + `by`, … up to `to` fail, counted from 1; `forever`: with all after them.
// How the child of allocation n ended comes to `ends[n - from]`, as wait() tells it.
void injector_arm(long from, long to, long by, int forever, int* ends) {
    void* frame;
    backtrace(&frame, 1);  // which loads what it needs
    counted = 0;
    first = from;
    last = to;
    step = by;
    goes_on = forever;
    statuses = ends;
    is_armed = true;
}

// No more of them; how many there were.
long injector_disarm() {
    is_armed = false;
    return counted;
}

// Whether an allocation has failed in this process.
int injector_is_child() { return is_child; }

void* malloc(size_t size) {
    if (fails(__builtin_return_address(0))) {
        errno = ENOMEM;
        return nullptr;
    }
    return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
    if (fails(__builtin_return_address(0))) {
        errno = ENOMEM;
        return nullptr;
    }
    return __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size) {
    if (fails(__builtin_return_address(0))) {
        errno = ENOMEM;
        return nullptr;
    }
    return __libc_realloc(memory, size);
}

}  // extern "C"

void* operator new(size_t size) {
    if (fails(__builtin_return_address(0))) throw std::bad_alloc();
    void* memory = __libc_malloc(size ? size : 1);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void* operator new[](size_t size) {
    if (fails(__builtin_return_address(0))) throw std::bad_alloc();
    void* memory = __libc_malloc(size ? size : 1);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void* operator new(size_t size, const std::nothrow_t&) noexcept {
    return fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(size ? size : 1);
}

void operator delete(void* memory) noexcept { free(memory); }
void operator delete[](void* memory) noexcept { free(memory); }
void operator delete(void* memory, size_t) noexcept { free(memory); }
void operator delete[](void* memory, size_t) noexcept { free(memory); }
