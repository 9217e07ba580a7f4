#pragma once
#include "simulation.h"

extern int sim_is_active;

// Waits until `word`, a futex, is 0, and puts `value` there.
void sim_lock_futex(uint32_t *word, uint32_t value);
uint32_t sim_thread_id(void);
// Lets other threads go on.
void sim_step_aside(void);
// Parts of `sim_end`.
void sim_reset_wall_clock(void);
void sim_disk_reset(void);
void sim_memory_reset(void);
// Gives up the thread's turn behind a commit.
void sim_hand_over(void);
uint32_t sim_draw(uint32_t bound);
int sim_hits(uint32_t of_a_million);

// Files of the disk for those who go past SQLite; -1: no such file.
int sim_descriptor_open(const char *path, int flags);
int sim_descriptor_close(int descriptor);
int sim_descriptor_sync(int descriptor);
int64_t sim_descriptor_size(int descriptor);
int64_t sim_path_size(const char *path);
int sim_path_truncate(const char *path, int64_t size);
int sim_path_remove(const char *path);
// The bytes that are free on the disk of that path; -1: it is on none.
int64_t sim_path_free(const char *path);
