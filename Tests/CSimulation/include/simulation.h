// The system under a simulation: threads of which one at a time runs, a clock, random numbers, and a disk in memory that is
// SQLite's default file system. Everything is one process' and comes from one seed.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Threads

typedef struct sim_thread sim_thread;

// Begins the simulation: from here on the clock, random numbers and sleeping are simulated. A thread yields after so many
// points, on average (calls of the disk, looks at the clock, messages to queues); 0: only where it waits.
void sim_begin(uint64_t seed, uint32_t points_to_yield);

// Ends it: the clock and the rest are the system's again, until one begins that finds nothing of this one but its disks.
void sim_end(void);

// Makes a thread, which waits to be resumed; then it calls `body` again and again, and is idle in between.
sim_thread *sim_thread_make(void (*body)(void *), void *context);
// Lets a thread run until it yields, waits or is idle. Called by the scheduler, which is no such thread.
void sim_thread_resume(sim_thread *thread);
// Whether it is between two calls of its body.
int sim_thread_is_idle(const sim_thread *thread);
// Whether it need not wait any more.
int sim_thread_is_ready(const sim_thread *thread);
// Whether it has given up its turn behind a commit, and was not asked since (`sim_disk_set_handovers`).
int sim_thread_take_handover(sim_thread *thread);
// Until when it waits at most, in nanoseconds of the simulated clock; UINT64_MAX: for as long as it takes.
uint64_t sim_thread_deadline(const sim_thread *thread);
// Whether the caller is on a simulated thread.
int sim_is_on_thread(void);

// A point at which the thread may yield.
void sim_point(void);
// Waits until the count is positive, or the time has come, and takes one from it; 0: it was not.
int sim_wait(int64_t *count, uint64_t deadline);

// The simulated clock, in nanoseconds; it begins at a second.
uint64_t sim_now(void);
void sim_set_now(uint64_t now);
// Seconds by which the clock that people set is ahead of where it was.
void sim_step_wall_clock(int64_t seconds);

// The trace: a digest of everything that has happened.
void sim_note(uint64_t value);
uint64_t sim_trace(void);
uint64_t sim_random(void);
// Has memory be taken from elsewhere, or not: then a run has the same addresses with and without what takes it.
void sim_set_aside(int is_aside);

// Disk

// Registers the file system, which is SQLite's default from then on.
void sim_disk_register(void);
// Makes a disk of what is below the directory.
void sim_disk_mount(const char *directory);

typedef struct {
  // The calls that fail, of a million each.
  uint32_t failed_reads, failed_writes, failed_syncs;
  // The bytes that files may have in all; 0: no bound.
  int64_t capacity;
  int is_read_only;
} sim_faults;
void sim_disk_set_faults(const char *directory, sim_faults faults);

// How often, of a million, a call takes long, and how long at most, in nanoseconds; of all disks.
void sim_disk_set_latency(uint32_t slow_calls, uint64_t longest);

// How often, of a thousand, a thread gives up its turn where it has just let others write to a database: behind a commit that they can see,
// and that nobody was told of.
void sim_disk_set_handovers(uint32_t of_a_thousand);

// The sectors that a crash loses, of a million that were not synced; of a million that it keeps, those that it fills with noise where
// they are in a new part of a file, and those in which it flips a bit of a byte that was not synced.
typedef struct {
  uint32_t lost_sectors, torn_sectors, flipped_sectors;
} sim_crash;

// Has everything that was written be durable, as a kernel sees to it after a while.
void sim_disk_write_back(const char *directory);

// Ends the disk: all later calls by those who have files of it open fail. What a crash leaves of it is the disk of the
// directory `next`.
void sim_disk_crash(const char *directory, const char *next, sim_crash crash);
// Flips so many bits, anywhere on the disk.
void sim_disk_damage(const char *directory, uint32_t bits);
// Has `body` called with each write, change of a size and sync of a disk, before others can see it: the event, the file's name, and the
// place in it, or its size.
void sim_disk_observe(void (*body)(const char *event, const char *path, int64_t place));
// Frees what a disk that has ended holds.
void sim_disk_unmount(const char *directory);
// The number of calls that were made to fail so far, of calls that reached the disk, and of syncs.
uint64_t sim_disk_failures(void);
uint64_t sim_disk_calls(void);
// How many sectors crashes have lost and torn so far.
uint64_t sim_disk_lost(void);

// Swift's runtime

// Has jobs of Swift's global executor handed to `enqueue`, after a delay in nanoseconds.
void sim_hook_executor(void (*enqueue)(void *job, uint64_t delay));

// A process that stays as it is when it is made, and calls `run` in a copy of itself for each byte that is written to `requests` and is not
// 0. When that has ended, its number and how it ended (`waitpid`), two ints, can be read from `answers`. For 0 it calls `warm_up` itself, and
// writes a byte.
typedef struct {
  int requests, answers;
} sim_slot;
void sim_make_slots(sim_slot *slots, int count, void (*run)(int slot), void (*warm_up)(int slot));

// Writes a text to the standard output, and removes a directory with what is in it.
void sim_say(const char *text);
void sim_remove_tree(const char *directory);

// Ends the process, by SIGPROF, when it has had the processor for so long.
void sim_limit_time(uint32_t seconds);

// Has the process run on one processor only.
void sim_pin(uint32_t number);

// Starts the program anew, once, without a random layout of its memory and with hashes that are the same in every run.
void sim_make_repeatable(char **arguments);
