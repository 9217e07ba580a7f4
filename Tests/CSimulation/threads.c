#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "internal.h"

// Where a thread stands that has not got the turn.
#if defined(__x86_64__)
#include <sys/auxv.h>

// A thread of the system lends its stack and its thread-local storage, and sleeps: it is the scheduler's thread that runs on them. To have
// the system change threads takes several times as long.
typedef struct {
  void *stack, *storage;
} context;

// Goes on where `to` stands.
__attribute__((naked)) static void change(context *from, const context *to, int has_instruction) {
  __asm__("push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n\t"
          "mov %rsp, (%rdi); mov %fs:0, %rax; mov %rax, 8(%rdi)\n\t"
          "mov (%rsi), %rsp; mov 8(%rsi), %rax\n\t"
          "test %edx, %edx; jz 1f; wrfsbase %rax; jmp 2f\n\t"
          // arch_prctl(ARCH_SET_FS, …).
          "1: mov $0x1002, %edi; mov %rax, %rsi; mov $158, %eax; syscall\n\t"
          "2: pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret");
}

// Lends the stack: calls pause(), which touches nothing on it, for ever. The function returns on the scheduler's thread.
__attribute__((naked)) static void park(context *place, int *is_parked) {
  __asm__("push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n\t"
          "mov %rsp, (%rdi); mov %fs:0, %rax; mov %rax, 8(%rdi); movl $1, (%rsi)\n\t"
          "1: mov $34, %eax; syscall; jmp 1b");
}

static void prepare(context *place) {}

static void give_turn(context *from, context *to) {
  // HWCAP2_FSGSBASE.
  change(from, to, (getauxval(AT_HWCAP2) & 2) != 0);
}
#else
#include <semaphore.h>

typedef sem_t context;

static void prepare(context *place) { sem_init(place, 0, 0); }

static void await_turn(context *place) {
  while (sem_wait(place) != 0) {}
}

static void give_turn(context *from, context *to) {
  sem_post(to);
  await_turn(from);
}

static void park(context *place, int *is_parked) {
  __atomic_store_n(is_parked, 1, __ATOMIC_RELEASE);
  await_turn(place);
}
#endif

enum state { IDLE, READY, WAITS_FOR_WORD, WAITS_FOR_COUNT };

struct sim_thread {
  context place;
  int is_parked;
  enum state state;
  void *object;
  uint64_t deadline;
  uint32_t id;
  int hands_over;
  void (*body)(void *);
  void *context;
};

int sim_is_active = 0;
#define FIRST_TIME 1000000000
#define FIRST_TRACE 0xcbf29ce484222325
static uint64_t now = FIRST_TIME, state_of_random, trace = FIRST_TRACE;
static uint32_t mean = 0, count_of_threads = 0;
static int64_t countdown = 0;
static context scheduler;
static __thread sim_thread *current = NULL;

static uint64_t next_random(void) {
  state_of_random += 0x9E3779B97F4A7C15;
  uint64_t bits = state_of_random;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
  return bits ^ bits >> 31;
}

uint64_t sim_random(void) { return next_random(); }
uint32_t sim_draw(uint32_t bound) { return bound == 0 ? 0 : (uint32_t)((next_random() >> 32) * bound >> 32); }
int sim_hits(uint32_t of_a_million) { return of_a_million != 0 && sim_draw(1000000) < of_a_million; }

void sim_note(uint64_t value) { trace = (trace ^ value) * 0x100000001b3; }
uint64_t sim_trace(void) { return trace; }

uint64_t sim_now(void) { return now; }
void sim_set_now(uint64_t time) { now = time; }

static void draw_countdown(void) { countdown = mean == 0 ? INT64_MAX : 1 + (int64_t)sim_draw(2 * mean); }

void sim_begin(uint64_t seed, uint32_t points_to_yield) {
  state_of_random = seed;
  mean = points_to_yield;
  prepare(&scheduler);
  draw_countdown();
  sim_is_active = 1;
}

void sim_end(void) {
  sim_is_active = 0;
  now = FIRST_TIME;
  trace = FIRST_TRACE;
  count_of_threads = 0;
  sim_reset_wall_clock();
  sim_disk_reset();
  sim_memory_reset();
}

// Gives the turn to the scheduler, and returns when the thread has it again.
static void leave(enum state state) {
  current->state = state;
  give_turn(&current->place, &scheduler);
  current->state = READY;
}

static void *run(void *argument) {
  current = argument;
  park(&current->place, &current->is_parked);
  for (;;) {
    current->state = READY;
    current->body(current->context);
    leave(IDLE);
  }
}

sim_thread *sim_thread_make(void (*body)(void *), void *context) {
  sim_thread *thread = calloc(1, sizeof *thread);
  prepare(&thread->place);
  thread->body = body;
  thread->context = context;
  thread->deadline = UINT64_MAX;
  thread->id = 1000 + count_of_threads++;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 2 << 20);
  pthread_t made;
  if (pthread_create(&made, &attributes, run, thread) != 0) abort();
  pthread_attr_destroy(&attributes);
  while (!__atomic_load_n(&thread->is_parked, __ATOMIC_ACQUIRE)) sched_yield();
  return thread;
}

void sim_thread_resume(sim_thread *thread) {
  give_turn(&scheduler, &thread->place);
}

int sim_thread_is_idle(const sim_thread *thread) { return thread->state == IDLE; }

int sim_thread_is_ready(const sim_thread *thread) {
  switch (thread->state) {
  case IDLE: return 0;
  case READY: return 1;
  case WAITS_FOR_WORD: return *(volatile uint32_t *)thread->object == 0;
  case WAITS_FOR_COUNT: return *(int64_t *)thread->object > 0 || now >= thread->deadline;
  }
  return 0;
}

uint64_t sim_thread_deadline(const sim_thread *thread) {
  return thread->state == WAITS_FOR_COUNT ? thread->deadline : UINT64_MAX;
}

int sim_is_on_thread(void) { return current != NULL; }
uint32_t sim_thread_id(void) { return current == NULL ? 999 : current->id; }

void sim_point(void) {
  if (!sim_is_active || current == NULL) return;
  now += 500;
  if (--countdown > 0) return;
  draw_countdown();
  leave(READY);
}

void sim_hand_over(void) {
  if (!sim_is_active || current == NULL) return;
  current->hands_over = 1;
  leave(READY);
}

void sim_step_aside(void) { leave(READY); }

int sim_thread_take_handover(sim_thread *thread) {
  int hands_over = thread->hands_over;
  thread->hands_over = 0;
  return hands_over;
}

int sim_wait(int64_t *count, uint64_t deadline) {
  if (current == NULL) abort();
  while (*count <= 0 && now < deadline) {
    current->object = count;
    current->deadline = deadline;
    leave(WAITS_FOR_COUNT);
  }
  if (*count <= 0) return 0;
  --*count;
  return 1;
}

void sim_lock_futex(uint32_t *word, uint32_t value) {
  uint32_t expected = 0;
  while (!__atomic_compare_exchange_n(word, &expected, value, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    expected = 0;
    // The scheduler holds no lock that a thread could wait for, and waits for none.
    if (current == NULL) abort();
    current->object = word;
    leave(WAITS_FOR_WORD);
  }
}
