/* SPDX-License-Identifier: MIT */
/*
 * commands.h - the subcommands of genlru-sim; each takes its own argv and returns the exit code
 */
#ifndef GENLRU_BENCH_SIM_COMMANDS_H
#define GENLRU_BENCH_SIM_COMMANDS_H

enum { SIM_OK = 0, SIM_FAILED = 1, SIM_USAGE = 2 };

int sim_run(int argc, char **argv);
int sim_curve(int argc, char **argv);
int sim_report(int argc, char **argv);
int sim_cost(int argc, char **argv);
int sim_policies(int argc, char **argv);
int sim_generators(int argc, char **argv);
int sim_formats(int argc, char **argv);
int sim_convert(int argc, char **argv);
int sim_generate(int argc, char **argv);
int sim_stat(int argc, char **argv);
int sim_table(int argc, char **argv);

/* The exit code after the command line was refused with rc; says where help is. */
int sim_exit_parse(int rc, const char *command);

/*
 * The exit code of a command that ended with rc: also fails when its output could not be written.
 */
int sim_exit_output(int rc);

#endif
