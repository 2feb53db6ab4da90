// SPDX-License-Identifier: BSD-3-Clause
// Linked into all programs by scripts/coverage.sh, with -Xlinker --wrap=_exit and others. gcov counts lines in memory and writes them
// when a process exits; this writes them also when a process ends by _exit, by a signal, or is killed by another process of ours.
// SIGKILL cannot be caught: our processes send DUMP_AND_DIE instead, upon which the receiver writes its counts and kills itself.
#include <gcov.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DUMP_AND_DIE (SIGRTMAX - 1)

void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));
int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);
int __real_raise(int number);
int __wrap_raise(int number);
int __wrap_prctl(int option, ...);

static void dump(void)
{
    __gcov_dump();
    __gcov_reset();    // otherwise a second dump writes nothing
}

// Ends the process by the same signal. The alarm ends it if the counts cannot be written, e.g. within malloc.
static void dump_and_die(int number)
{
    signal(SIGALRM, SIG_DFL);
    alarm(10);
    dump();
    if (number == DUMP_AND_DIE)
        __real_kill(getpid(), SIGKILL);
    signal(number, SIG_DFL);
    __real_raise(number);
}

__attribute__((constructor)) static void catch_signals(void)
{
    const int numbers[] = { SIGHUP, SIGINT, SIGTERM, SIGABRT, SIGSEGV, DUMP_AND_DIE };
    struct sigaction old, new = { .sa_handler = dump_and_die };

    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_DFL)
            sigaction(numbers[i], &new, NULL);
}

void __wrap__exit(int status)
{
    dump();
    __real__exit(status);
}

int __wrap_raise(int number)
{
    dump();
    return __real_raise(number);
}

int __wrap_kill(pid_t pid, int number)
{
    if (number == SIGKILL && pid > 0 && !__real_kill(pid, DUMP_AND_DIE))
        for (int i = 0; i < 200; i++) {
            siginfo_t ended = { 0 };
            if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) || ended.si_pid)
                break;
            nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        }
    return __real_kill(pid, number);
}

int __wrap_prctl(int option, ...)
{
    va_list more;
    va_start(more, option);
    unsigned long a = va_arg(more, unsigned long), b = va_arg(more, unsigned long), c = va_arg(more, unsigned long),
                  d = va_arg(more, unsigned long);
    va_end(more);
    if (option == PR_SET_PDEATHSIG && (int)a == SIGKILL)
        a = (unsigned long)DUMP_AND_DIE;
    return (int)syscall(SYS_prctl, option, a, b, c, d);
}
