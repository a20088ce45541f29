/* Replace a truncated segment by private memory; see il_bus_guard.h. */
#include "inloop.h"

#include "il_bus_guard.h"

#include <signal.h>

enum { MOST = 2048 }; /* more than the possible number of open mailboxes, see inloop_self */
enum { FREE = 0, TAKEN = 1, WATCHED = 2, LOST = 3 };

typedef struct place {
    uintptr_t base;
    uint64_t size;
    int state;
} place;

/* per process, like signals: there is no other place for this state */
static place places[MOST];
static struct sigaction before;
static int installed;

/* Map zeros in place of the memory; 0 if the address is in no segment. */
static int replaced(uintptr_t address)
{
    for (int k = 0; k < MOST; k++) {
        place *p = &places[k];
        if (__atomic_load_n(&p->state, __ATOMIC_ACQUIRE) < WATCHED || address < p->base ||
            address - p->base >= p->size) {
            continue;
        }
        void *zeros = mmap((void *)p->base, p->size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        __atomic_store_n(&p->state, LOST, __ATOMIC_RELEASE);
        return zeros != MAP_FAILED;
    }
    return 0;
}

static void handle(int number, siginfo_t *about, void *context)
{
    const int error = errno;
    if (about->si_code == BUS_ADRERR && replaced((uintptr_t)about->si_addr)) {
        errno = error;
        return;
    }
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, about, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else {
        /* the access is repeated, and ends the process as without this handler */
        signal(SIGBUS, SIG_DFL);
    }
}

static void install(void)
{
    int no = 0;
    if (!__atomic_compare_exchange_n(&installed, &no, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        return;
    }
    struct sigaction wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.sa_sigaction = handle;
    wanted.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGBUS, &wanted, &before);
}

int64_t il_bus_guard_add(void *base, uint64_t size)
{
    install();
    for (int k = 0; k < MOST; k++) {
        int expected = FREE;
        if (__atomic_compare_exchange_n(&places[k].state, &expected, TAKEN, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            places[k].base = (uintptr_t)base;
            places[k].size = size;
            __atomic_store_n(&places[k].state, WATCHED, __ATOMIC_RELEASE);
            return k;
        }
    }
    return -1;
}

int64_t il_bus_guard_lost(int64_t number)
{
    return number >= 0 && __atomic_load_n(&places[number].state, __ATOMIC_ACQUIRE) == LOST;
}

void il_bus_guard_remove(int64_t number)
{
    if (number >= 0) {
        __atomic_store_n(&places[number].state, FREE, __ATOMIC_RELEASE);
    }
}
