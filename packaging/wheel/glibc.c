/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the C library in older versions than those of the system that builds the wheel, so that it runs on systems from manylinux_2_34
 * on. The linker puts __wrap_NAME in the place of NAME. */
#ifdef __x86_64__
double older_hypot(double, double), __wrap_hypot(double, double);
__asm__(".symver older_hypot, hypot@GLIBC_2.2.5"); /* else 2.35 */
double __wrap_hypot(double x, double y) { return older_hypot(x, y); }
#else
extern double __real_hypot(double, double), __wrap_hypot(double, double);
double __wrap_hypot(double x, double y) { return __real_hypot(x, y); }
#endif
