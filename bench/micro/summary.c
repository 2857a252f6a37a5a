#include "micro/commands.h"
int bench_summary(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return 1;
}
int bench_report(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return 1;
}
