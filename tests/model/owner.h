/* SPDX-License-Identifier: MIT */
/* What the files of the random owner share. See rig.h. */
#ifndef GENLRU_TESTS_MODEL_OWNER_H
#define GENLRU_TESTS_MODEL_OWNER_H

#include "rig.h"

/* Sets of states. */
#define OFF (1u << MODEL_OFF)
#define LISTED (1u << MODEL_LISTED)
#define PARKED (1u << MODEL_PARKED)
#define ISOLATED (1u << MODEL_ISOLATED)
#define CONDEMNED (1u << MODEL_CONDEMNED)
#define ANY 31u

/* A node in one of `states`, looked for from a random one on; or any one, now and then. */
unsigned owner_pick(struct rig *rig, unsigned states);
/* Compares answers, and what the error hook was told. */
void owner_check_answer(struct rig *rig, const char *what, int library, int model);
/* The node's memory is the owner's: freed, and used for another node. */
void owner_free_node(struct rig *rig, unsigned i);
void owner_add(struct rig *rig, unsigned i, unsigned flags, genlru_shadow shadow);
/* A shadow for a node that is added: its own, an old or a foreign one, made-up ones, none. */
genlru_shadow owner_choose_shadow(struct rig *rig, unsigned i);
void owner_check_shadow(struct rig *rig, genlru_shadow shadow);

/* Operations of owner_evict.c. */
void owner_op_evict(struct rig *rig);
void owner_op_dispose(struct rig *rig);
void owner_op_request(struct rig *rig);
void owner_op_age(struct rig *rig);

#endif
