/* SPDX-License-Identifier: MIT */
/*
 * comment.h - how rows came about: "# command: genlru-sim run …", to be pasted into a shell
 */
#ifndef GENLRU_BENCH_SIM_COMMENT_H
#define GENLRU_BENCH_SIM_COMMENT_H

/*
 * Prints the line on stdout. argv[0] is not looked at. Of absolute paths, also behind "--trace=",
 * only the last part is kept: rows get published, and where somebody keeps traces is nobody's
 * business. Line breaks become blanks. getopt_long may have reordered argv; the meaning is the same.
 */
void comment_print(const char *command, int argc, char **argv);

#endif
