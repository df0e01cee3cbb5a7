/*
 * The tree layout: a plan's record sets stand at a name of their own, the tree, and the endpoint is an alias to it.
 *
 * One zone with a switch, one or two endpoints that share the trees, a plan table with uploads, a planner, two enactors, a
 * collector of trees, a collector of uploads, an operator and a person. Every step is one call to the outside.
 * docs/model.md says what is modelled, what is not, and how to read the variants.
 *
 * Nonces. A text with a nonce is never written twice, so a batch that rests on a text that has changed since can never land.
 * The model drops such a batch at the very moment the text changes. What has no nonce is compared by value.
 *
 * A content is a number; a tree stands under its content, so that a rollback meets the tree of before, condemned or not.
 * A tree has two record sets of one kind. WHOLE: both of them.
 */
#ifndef NG
#define NG 3            /* generations at most */
#endif
#ifndef NT
#define NT 2            /* contents, and so trees */
#endif
#ifndef NE
#define NE 1            /* endpoints */
#endif
#ifndef HOLDS
#define HOLDS 1         /* batches that may be held on their way, enactors' or the collector's */
#endif
#ifndef STOPS
#define STOPS 0
#endif
#ifndef DEEDS
#define DEEDS 0         /* what a person may do at the console */
#endif
#ifndef COLLECTS
#define COLLECTS 1      /* runs of the collector of trees; 0: it never ends */
#endif
#ifndef REFUSED_WHOLE
#define REFUSED_WHOLE 0 /* generation that enactor a refuses plan-wide */
#endif
#ifndef REFUSED_AT
#define REFUSED_AT 0    /* generation whose content every enactor refuses: what the fence names is repaired meanwhile */
#endif

#define WHOLE 3
#define NAME(x) ((x) == 0 -> '-' : 'A' + (x) - 1)
#define WHO(s)  ('a' + (s))

/* The zone. */
byte gen = 1;
bool running = true;
byte fence[NE];         /* the content that the endpoint's fence names, 0 without one */
byte alias[NE];         /* the tree that the endpoint is an alias to, 0 without one */
#define NO_FENCE 0
#define BUILDING 1
#define LIVE 2
#define CONDEMNED 3
byte mark[NT + 1];      /* the tree's own fence */
byte sets[NT + 1];      /* the tree's record sets */
byte drift[NT + 1];     /* whether a person took sets of the tree away (ghost) */

/* The plan table. */
byte head = 1;
byte plan[NG + 1];
#ifdef UPLOADS
byte upload;            /* the upload item: 0 none, 1 there, 2 condemned */
byte id;                /* its id */
byte chunks = 1;        /* which uploads have their chunks, as bits */
byte body[NG + 1];      /* the upload that a plan's manifest names */
#endif

/* Slots: the enactors', the collector's, and those of batches held on their way. */
#define COLLECT 2
#define HELD 3
#define SLOTS (3 + HOLDS)
#define IDLE 0
#define SWITCH_READ 1
#define HEAD_READ 2
#define FENCES_READ 3
#define DECIDED 4       /* a batch is made; of the collector: condemned, looked, and so on */
byte pc[SLOTS];
byte work[SLOTS];       /* the working plan */
byte tree[SLOTS];       /* the tree that the batch is about */
byte what[SLOTS];
#define OPEN 1          /* open the generation, and nothing else */
#define CLAIM 2         /* write the tree's fence */
#define BUILD 3         /* write one record set of the tree */
#define FLIP 4          /* point endpoints to the tree */
#define TAKE_BACK 5     /* put a condemned tree back to building */
#define CONDEMN 6
#define DELETE 7        /* delete one record set of the tree; with the last one its fence */
#define PUT_BACK 8
#define LOOK 9          /* of the collector: the table is seen, the zone comes next */
byte part[SLOTS];       /* BUILD and DELETE: the set; FLIP: which endpoints */
byte seen[SLOTS];       /* the tree's sets as observed */
byte old[SLOTS];        /* the aliases as observed: alias[0] + 4 * alias[1] */
byte bare[SLOTS];       /* the endpoints without a fence as observed, as bits */

byte holds = HOLDS;
byte deeds = DEEDS;
byte stops = STOPS;
byte collects = COLLECTS;
byte settled = 1;

hidden byte i, j, x, y, ok, e, served;

#define forget(s) \
	pc[s] = IDLE; work[s] = 0; tree[s] = 0; what[s] = 0; part[s] = 0; seen[s] = 0; old[s] = 0; bare[s] = 0

#ifdef PUT_BACK_TO_LIVE
#define PUT_BACK_TO LIVE
#else
#define PUT_BACK_TO BUILDING
#endif

#if NE == 1
#define ALIASES alias[0]
#else
#define ALIASES (alias[0] + 4 * alias[1])
#endif
#define ANSWERS(n) (alias[n] != 0 && sets[alias[n]] != 0)
#if NE == 1
#define REFERENCED(t) (alias[0] == (t) || fence[0] == (t))
#define STANDS(t) (alias[0] == (t) && fence[0] == (t))
#define WAITING(t) (!(alias[0] == (t) && fence[0] == (t)))
#define SERVED (ANSWERS(0))
#else
#define REFERENCED(t) (alias[0] == (t) || fence[0] == (t) || alias[1] == (t) || fence[1] == (t))
#define STANDS(t) (alias[0] == (t) && fence[0] == (t) && alias[1] == (t) && fence[1] == (t))
#define WAITING(t) ((!(alias[0] == (t) && fence[0] == (t))) + 2 * (!(alias[1] == (t) && fence[1] == (t))))
#define SERVED (ANSWERS(0) + 2 * ANSWERS(1))
#endif

#ifdef COLLECT_WITHOUT_SWITCH
#define COLLECT_IS_FREE || i == COLLECT || what[i] >= CONDEMN
#define COLLECT_WHILE_STOPPED || true
#else
#define COLLECT_IS_FREE
#define COLLECT_WHILE_STOPPED
#endif
inline switch_changed(s) {
	for (i : 0 .. SLOTS - 1) {
		if
		:: i == s || pc[i] == IDLE COLLECT_IS_FREE
		:: else -> forget(i)
		fi
	}
}

/* A batch that flips this endpoint, or an enactor that has read its fence, is lost. Where no fence was seen there was no text. */
inline fence_changed(s, n) {
	for (i : 0 .. SLOTS - 1) {
		if
		:: i != s && pc[i] == FENCES_READ && i < COLLECT -> forget(i)
		:: i != s && pc[i] == DECIDED && what[i] == FLIP && ((part[i] >> n) & 1) && !((bare[i] >> n) & 1) -> forget(i)
		:: else
		fi
	}
}

/* The text of a tree's fence has changed: whatever rests on it is lost. A claim rests on there being none. */
inline mark_changed(s, t) {
	for (i : 0 .. SLOTS - 1) {
		if
		:: i != s && tree[i] == t && pc[i] >= FENCES_READ && what[i] != CLAIM -> forget(i)
		:: else
		fi
	}
}

#define REFUSES(s, g) ((s) == 0 && (g) == REFUSED_WHOLE)

/* Everything is read: decide what the next batch is. The tree's fence was read before its sets; that order is a protection. */
#ifndef LIVE_IS_WHOLE
#define LIVE_IS_WHOLE false
#endif
inline decide(s) {
	d_step {
		pc[s] = DECIDED;
		x = mark[tree[s]];
		y = seen[s];
		if
#ifdef NO_TAKE_BACK
		:: x == CONDEMNED -> printf("@@ enactor %c waits for collect to put tree %c back\n", WHO(s), NAME(tree[s])); forget(s)
#else
		:: x == CONDEMNED ->
			what[s] = TAKE_BACK; seen[s] = 0;
			printf("@@ enactor %c wants tree %c, which is condemned: it will take it back\n", WHO(s), NAME(tree[s]))
#endif
		:: STANDS(tree[s]) && y == WHOLE && x != NO_FENCE ->
			seen[s] = 0;
			if
			:: work[s] > gen ->
				what[s] = OPEN; tree[s] = 0;
				printf("@@ enactor %c sees that nothing changes: it will open generation %d alone\n", WHO(s), work[s])
			:: else ->
				settled = (work[s] > settled -> work[s] : settled);
				printf("@@ enactor %c sees that all is as plan %d says\n", WHO(s), work[s]);
				forget(s)
			fi
		:: x == NO_FENCE ->
			what[s] = CLAIM;
			printf("@@ enactor %c will begin tree %c\n", WHO(s), NAME(tree[s]))
		:: (x == BUILDING || (x == LIVE && !LIVE_IS_WHOLE)) && y != WHOLE ->
			what[s] = BUILD; part[s] = (y & 1 -> 2 : 1); seen[s] = 0;
			printf("@@ enactor %c will write a set of tree %c\n", WHO(s), NAME(tree[s]))
		:: else ->
			what[s] = FLIP; part[s] = WAITING(tree[s]); seen[s] = (LIVE_IS_WHOLE -> 0 : y);
			old[s] = ALIASES;
#if NE == 1
			bare[s] = (fence[0] == 0);
#else
			bare[s] = (fence[0] == 0) + 2 * (fence[1] == 0);
#endif
			printf("@@ enactor %c takes tree %c for whole: it will flip to it (plan %d)\n", WHO(s), NAME(tree[s]), work[s])
		fi
	}
	if
	:: what[s] == FLIP && part[s] == 3 ->
		if
		:: part[s] = 1
		:: part[s] = 2
		:: skip
		fi
	:: else
	fi;
	d_step {
		if
		:: what[s] == FLIP && !(part[s] & 1) -> old[s] = old[s] & 12; bare[s] = bare[s] & 2
		:: what[s] == FLIP && !(part[s] & 2) -> old[s] = old[s] & 3; bare[s] = bare[s] & 1
		:: else
		fi
	}
}

/* The conditions and the effect of a flip at one endpoint. */
#define FLIP_FITS(s, n) \
	(!((part[s] >> n) & 1) || (alias[n] == ((old[s] >> (2 * n)) & 3) && (!((bare[s] >> n) & 1) || fence[n] == 0)))

inline flip_at(s, n) {
	if
	:: (part[s] >> n) & 1 ->
		if
		:: !(tree[s] == plan[gen] || tree[s] == fence[n]) ->
			printf("@@ BROKEN never backwards: endpoint %d was pointed to %c, and the open plan says %c\n", n, NAME(tree[s]), NAME(plan[gen]));
			assert(false)
		:: else
		fi;
		alias[n] = tree[s];
		fence[n] = tree[s];
		fence_changed(s, n)
	:: else
	fi
}

/* Route 53 evaluates the batch in a slot: all of it, or nothing. An alias to a name without sets is refused. */
inline evaluate(s) {
	d_step {
		ok = running;
		x = tree[s];
		served = SERVED;
		if
		:: what[s] == CLAIM -> ok = ok && mark[x] == NO_FENCE && sets[x] == seen[s]
		:: what[s] == BUILD -> ok = ok && !(sets[x] & part[s])
		:: what[s] == FLIP ->
			ok = ok && FLIP_FITS(s, 0) && sets[x] != 0;
#if NE == 2
			ok = ok && FLIP_FITS(s, 1);
#endif
			ok = ok && (seen[s] == 0 || (sets[x] & 1))      /* one set of the tree, as counted, is asserted */
		:: else
		fi;
		if
		:: !ok ->
			printf("@@ the batch is refused\n");
			forget(s)
		:: else ->
			if
			:: work[s] != gen ->
				if
				:: work[s] < gen -> printf("@@ BROKEN never backwards: the switch went back\n"); assert(false)
				:: else
				fi;
				gen = work[s]; switch_changed(s); printf("@@ the batch opens generation %d\n", gen)
			:: else
			fi;
			if
			:: work[s] < settled && what[s] == FLIP -> printf("@@ BROKEN never backwards: %d was settled\n", settled); assert(false)
			:: else
			fi;
			if
			:: what[s] == CLAIM -> mark[x] = BUILDING; mark_changed(s, x); printf("@@ tree %c is begun\n", NAME(x))
			:: what[s] == TAKE_BACK -> mark[x] = PUT_BACK_TO; mark_changed(s, x); printf("@@ tree %c is taken back\n", NAME(x))
			:: what[s] == BUILD ->
				sets[x] = sets[x] | part[s];
				drift[x] = (sets[x] == WHOLE -> 0 : drift[x]);
				printf("@@ tree %c has %d of 2 sets\n", NAME(x), (sets[x] == WHOLE -> 2 : 1))
			:: what[s] == FLIP ->
				flip_at(s, 0);
#if NE == 2
				flip_at(s, 1);
#endif
				if
				:: mark[x] == BUILDING -> mark[x] = LIVE; mark_changed(s, x)
				:: else
				fi;
				printf("@@ the flip to tree %c lands\n", NAME(x));
				if
				:: sets[x] != WHOLE && !drift[x] -> printf("@@ BROKEN whole: tree %c was counted whole and is not\n", NAME(x)); assert(false)
				:: else
				fi
			:: else
			fi;
			if
			:: served & (255 - SERVED) -> printf("@@ BROKEN never empty: an endpoint that answered is empty\n"); assert(false)
			:: else
			fi;
			forget(s)
		fi
	}
}


#ifdef DELETE_WITHOUT_ALIAS
#define ALIASES_AS_SEEN(s) true
#define ALIASES_STAND true
#else
#define ALIASES_AS_SEEN(s) (old[s] == ALIASES)
#if NE == 1
#define ALIASES_STAND (alias[0] != 0)
#else
#define ALIASES_STAND (alias[0] != 0 && alias[1] != 0)
#endif
#endif

/* What a batch of the collector does where it is evaluated. Its texts are fresh, else it had been dropped. */
inline collect_lands(s) {
	d_step {
		x = tree[s];
		served = SERVED;
		ok = running COLLECT_WHILE_STOPPED;
		if
		:: !ok -> printf("@@ the batch of collect is refused\n")
		:: ok && what[s] == CONDEMN -> mark[x] = CONDEMNED; mark_changed(s, x); printf("@@ collect condemns tree %c\n", NAME(x))
		:: ok && what[s] == PUT_BACK ->
			mark[x] = PUT_BACK_TO; mark_changed(s, x); printf("@@ collect puts tree %c back\n", NAME(x))
		:: ok && what[s] == DELETE && (sets[x] & part[s]) == part[s] && ALIASES_AS_SEEN(s) ->
			if
			:: !running -> printf("@@ BROKEN stop means stop: collect deletes in a zone that is stopped\n"); assert(false)
			:: else
			fi;
			sets[x] = sets[x] & (255 - part[s]);
			printf("@@ collect deletes a set of tree %c\n", NAME(x));
			if
			:: sets[x] == 0 && mark[x] == CONDEMNED -> mark[x] = NO_FENCE; drift[x] = 0; mark_changed(s, x)
			:: else
			fi;
			if
			:: served & (255 - SERVED) -> printf("@@ BROKEN never empty: an endpoint is an alias to nothing\n");
				assert(false)
			:: !(served & (255 - SERVED)) && REFERENCED(x) ->
				printf("@@ BROKEN never collect: a set of tree %c was deleted, and an endpoint needs it\n", NAME(x));
				assert(false)
			:: else
			fi
		:: else -> ok = 0
		fi;
		x = 0
	}
}
/* A batch goes out and no answer comes: its writer begins anew, and the batch lands at any time, or never. */
inline hold(s) {
	holds--;
	i = HELD;
	do
	:: pc[i] != IDLE -> i++
	:: else -> break
	od;
	pc[i] = DECIDED; work[i] = work[s]; tree[i] = tree[s]; what[i] = what[s]; part[i] = part[s]; seen[i] = seen[s];
	old[i] = old[s]; bare[i] = bare[s];
	if
	:: s == COLLECT -> printf("@@ a batch of collect is held on its way; no answer comes\n")
	:: else -> printf("@@ the batch of enactor %c is held on its way; no answer comes\n", WHO(s))
	fi;
	forget(s)
}

#ifdef OCTOBER
#define OCTOBER_2025 true
/* As in October 2025: check once that the plan is newer, build its tree, flip blindly; the rollback record goes to the plan in force. */
proctype Enactor(byte s) {
end:	do
	:: d_step { pc[s] == IDLE && head > alias[0] -> pc[s] = SWITCH_READ; tree[s] = head;
		printf("@@ enactor %c checks, once, that plan %d is newer than the one in force, %d\n", WHO(s), head, alias[0]) }
	:: d_step { pc[s] == SWITCH_READ -> pc[s] = DECIDED; sets[tree[s]] = WHOLE; mark[tree[s]] = LIVE;
		printf("@@ enactor %c builds tree %c\n", WHO(s), NAME(tree[s])) }
	:: d_step { pc[s] == DECIDED ->
		if
		:: sets[alias[0]] != 0 && sets[tree[s]] != 0 ->
			alias[0] = tree[s]; fence[0] = tree[s];
			printf("@@ enactor %c flips the endpoint to tree %c\n", WHO(s), NAME(tree[s]))
		:: sets[alias[0]] == 0 && tree[s] == head ->
			printf("@@ BROKEN never stuck: the newest plan, %d, is refused: its rollback record would point to tree %c, which is gone\n", head, NAME(alias[0]));
			assert(false)
		:: else
		fi;
		forget(s) }
	od
}
#else
#define OCTOBER_2025 false
proctype Enactor(byte s) {
end:	do
	:: d_step { pc[s] == IDLE && running -> pc[s] = SWITCH_READ; work[s] = gen;
		printf("@@ enactor %c reads the switch: open is %d\n", WHO(s), gen) }
	:: d_step { pc[s] == SWITCH_READ ->
		work[s] = (REFUSES(s, head) && head > work[s] -> work[s] : head);
		tree[s] = plan[work[s]];
#ifdef SETS_FIRST
		seen[s] = sets[tree[s]];
#endif
		pc[s] = HEAD_READ; printf("@@ enactor %c reads HEAD: %d; works from plan %d\n", WHO(s), head, work[s]) }
	:: d_step { pc[s] == HEAD_READ -> pc[s] = FENCES_READ;
		tree[s] = (REFUSED_AT && work[s] == REFUSED_AT && fence[0] != 0 -> fence[0] : tree[s]);
		printf("@@ enactor %c reads the fences\n", WHO(s)) }
	:: atomic { pc[s] == FENCES_READ ->
#ifndef SETS_FIRST
		seen[s] = sets[tree[s]];
#endif
		decide(s) }
	:: atomic { pc[s] == DECIDED -> evaluate(s) }
#if HOLDS > 0
	:: d_step { pc[s] == DECIDED && holds > 0 -> hold(s) }
#endif
#ifdef CRASH
	:: atomic { s == 1 -> forget(s); printf("@@ enactor b dies\n"); break }
#endif
	od
}

#endif

/* A batch that was held arrives. */
proctype Network(byte s) {
end:	do
	:: atomic { pc[s] == DECIDED && what[s] < CONDEMN -> printf("@@ a batch that was held arrives\n"); evaluate(s) }
	:: atomic { pc[s] == DECIDED && what[s] >= CONDEMN -> printf("@@ a batch of collect that was held arrives\n"); collect_lands(s); forget(s) }
	od
}

#ifdef OCTOBER
#define CHOOSE_CONTENT x = head + 1
#else
#define CHOOSE_CONTENT if :: x = 1 :: x = 2 :: NT > 2 -> x = 3 fi
#endif

#ifndef UPLOADS
proctype Planner() {
end:	do
	:: atomic { head < NG -> CHOOSE_CONTENT;
		d_step { head++; plan[head] = x; printf("@@ the planner publishes plan %d: content %c\n", head, NAME(x)); x = 0 } }
	od
}
#else
/* Upload item, chunks, then one transaction: the upload is not condemned; HEAD moves, manifest in, upload item out. */
proctype Planner() {
end:	do
	:: d_step { head < NG && upload == 0 && id < NG + 1 -> id++; upload = 1; printf("@@ the planner begins upload %d\n", id) }
	:: d_step { upload == 1 && !((chunks >> id) & 1) -> chunks = chunks | (1 << id); printf("@@ the planner writes the chunks\n") }
	:: atomic { upload == 1 && ((chunks >> id) & 1) -> CHOOSE_CONTENT;
		d_step { head++; plan[head] = x; body[head] = id; upload = 0;
			printf("@@ the planner commits plan %d: content %c\n", head, NAME(x)); x = 0 } }
	od
}

/* The collector of uploads: it takes any upload for a dead planner's. Condemn, sweep the chunks, then the item. */
proctype Sweeper() {
	byte target;
#ifdef SWEEP_WITHOUT_CONDEMN
end:	do
	:: d_step { target == 0 && upload != 0 -> target = id; printf("@@ collect sees upload %d, which looks dead\n", id) }
	:: atomic { target != 0 -> goto sweep }
	od;
#else
end:	do
	:: d_step { target == 0 && upload != 0 -> target = id; printf("@@ collect sees upload %d, which looks dead\n", id) }
	:: d_step { target != 0 && (upload == 0 || id != target) -> target = 0 }
	:: atomic { target != 0 && upload != 0 && id == target -> upload = 2; printf("@@ collect condemns the upload\n"); goto sweep }
	od;
#endif
sweep:	skip;
	d_step { chunks = chunks & (255 - (1 << target)); printf("@@ collect sweeps the chunks of upload %d\n", target);
		for (i : 1 .. head) {
			if
			:: body[i] == target -> printf("@@ BROKEN never collect: plan %d has lost its chunks\n", i); assert(false)
			:: else
			fi
		}
	};
	d_step { upload = (id == target -> 0 : upload); target = 0 };
	goto end
}
#endif

proctype Operator() {
end:	do
	:: d_step { running && stops > 0 -> running = false; stops--; switch_changed(99); printf("@@ the operator stops the zone\n") }
	:: d_step { !running -> running = true; switch_changed(99); printf("@@ the operator starts the zone\n") }
	od
}

proctype Person() {
end:	do
	:: d_step { deeds > 0 && (alias[0] || fence[0]) -> deeds--; x = fence[0]; fence[0] = 0; alias[0] = 0;
		if
		:: x -> fence_changed(99, 0)
		:: else
		fi;
		printf("@@ a person wipes endpoint 0, fence and all\n") }
	:: d_step { deeds > 0 && alias[0] -> deeds--; alias[0] = 0; printf("@@ a person wipes the alias of endpoint 0\n") }
	:: d_step { deeds > 0 && fence[0] -> deeds--; fence[0] = 0; fence_changed(99, 0); printf("@@ a person wipes the fence of endpoint 0\n") }
#ifdef BY_HAND
	:: d_step { deeds > 0 && alias[0] && alias[0] != 1 && sets[1] -> deeds--; alias[0] = 1; printf("@@ a person points endpoint 0 to tree A at the console\n") }
	:: d_step { deeds > 0 && alias[0] && alias[0] != 2 && sets[2] -> deeds--; alias[0] = 2; printf("@@ a person points endpoint 0 to tree B at the console\n") }
#endif
	:: d_step { deeds > 0 && sets[1] & 1 -> deeds--; sets[1] = sets[1] & 2; drift[1] = 1; printf("@@ a person deletes a set of tree A\n") }
	:: d_step { deeds > 0 && sets[2] -> deeds--; sets[2] = 0; drift[2] = 1; printf("@@ a person deletes every set of tree B\n") }
	:: d_step { deeds > 0 && mark[1] -> deeds--; mark[1] = NO_FENCE; mark_changed(99, 1); printf("@@ a person deletes the fence of tree A\n") }
	od
}

#ifdef LOOK_AT_FENCES_ONLY
#define SEEN_REFERENCED(t) (fence[0] == (t))
#elif defined(LOOK_AT_ALIASES_ONLY)
#define SEEN_REFERENCED(t) (alias[0] == (t))
#else
#define SEEN_REFERENCED(t) REFERENCED(t)
#endif
#define WANTED(t) (plan[head] == (t) || plan[gen] == (t))

/* A set of a tree is deleted, whatever its fence says. */
inline sweep_tree(t, which) {
	served = SERVED;
	sets[t] = sets[t] & (255 - which);
	printf("@@ collect deletes a set of tree %c\n", NAME(t));
	if
	:: sets[t] == 0 && mark[t] != NO_FENCE -> mark[t] = NO_FENCE; mark_changed(99, t)
	:: else
	fi;
	if
	:: served & (255 - SERVED) -> printf("@@ BROKEN never empty: an endpoint is an alias to nothing\n");
#ifndef STUCK
		assert(false)
#endif
	:: !(served & (255 - SERVED)) && REFERENCED(t) && !OCTOBER_2025 ->
		printf("@@ BROKEN never collect: a set of tree %c was deleted, and an endpoint needs it\n", NAME(t));
		assert(false)
	:: else
	fi
}

#ifdef NO_CONDEMN
/* Clean-up that goes by age, or that looks first and deletes later: nothing is condemned, and no batch of it asserts anything. */
#ifdef OCTOBER
#define IS_OLD(t) ((t) < alias[0])      /* older than the plan that it has just put in force */
#elif defined(BY_AGE)
#define IS_OLD(t) (head > 2 && plan[head] != (t) && plan[head - 1] != (t))
#else
#define IS_OLD(t) (!REFERENCED(t) && !WANTED(t))
#endif
proctype Collector() {
	byte t;
end:	do
	:: atomic { COLLECTS == 0 || collects > 0 ->
		if
		:: t = 1
		:: t = 2
		:: NT > 2 -> t = 3
		fi;
		if
		:: sets[t] && IS_OLD(t) -> collects = (COLLECTS == 0 -> 0 : collects - 1); printf("@@ collect takes tree %c for old\n", NAME(t)); break
		:: else -> t = 0
		fi }
	od;
	skip;
	d_step { sweep_tree(t, 1) };
	d_step { sweep_tree(t, 2); t = 0 };
	goto end
}
#else
/* Clean-up, conditional: condemn, look at the table, look at the zone, delete set by set. It asserts the switch like any batch. */
proctype Collector() {
	byte t;
end:	do
	:: atomic { pc[COLLECT] == IDLE && (running COLLECT_WHILE_STOPPED) && (COLLECTS == 0 || collects > 0) ->
		if
		:: t = 1
		:: t = 2
		:: NT > 2 -> t = 3
		fi;
		if
		:: mark[t] != NO_FENCE && !SEEN_REFERENCED(t) && !WANTED(t) ->
			d_step {
				collects = (COLLECTS == 0 -> 0 : collects - 1);
				pc[COLLECT] = FENCES_READ; tree[COLLECT] = t; what[COLLECT] = CONDEMN; t = 0;
				printf("@@ collect sees that nothing needs tree %c\n", NAME(tree[COLLECT])) }
		:: mark[t] == CONDEMNED && (REFERENCED(t) || WANTED(t)) ->
			d_step {
				collects = (COLLECTS == 0 -> 0 : collects - 1);
				pc[COLLECT] = DECIDED; tree[COLLECT] = t; what[COLLECT] = PUT_BACK; t = 0;
				printf("@@ collect finds tree %c condemned by one that died, and needed\n", NAME(tree[COLLECT])) }
		:: else -> t = 0
		fi }
	:: atomic { pc[COLLECT] == FENCES_READ -> collect_lands(COLLECT);
		d_step { if
		:: ok -> pc[COLLECT] = DECIDED; what[COLLECT] = 0
		:: else -> forget(COLLECT)
		fi } }
	:: d_step { pc[COLLECT] == DECIDED && what[COLLECT] == 0 ->
		what[COLLECT] = (WANTED(tree[COLLECT]) -> PUT_BACK : LOOK);
		printf("@@ collect looks at the table\n") }
	:: atomic { pc[COLLECT] == DECIDED && what[COLLECT] == LOOK ->
		what[COLLECT] = (SEEN_REFERENCED(tree[COLLECT]) || !ALIASES_STAND -> PUT_BACK : DELETE);
		old[COLLECT] = (what[COLLECT] == DELETE -> ALIASES : 0);
		printf("@@ collect looks at the zone\n");
		if
		:: what[COLLECT] == DELETE && (sets[tree[COLLECT]] & 1) -> part[COLLECT] = 1
		:: what[COLLECT] == DELETE && (sets[tree[COLLECT]] & 2) -> part[COLLECT] = 2
		:: what[COLLECT] == PUT_BACK || sets[tree[COLLECT]] == 0 -> skip
		fi }
	:: atomic { pc[COLLECT] == DECIDED && what[COLLECT] == PUT_BACK -> collect_lands(COLLECT); forget(COLLECT) }
	:: atomic { pc[COLLECT] == DECIDED && what[COLLECT] == DELETE -> collect_lands(COLLECT);
		d_step { if
		:: ok && mark[tree[COLLECT]] == CONDEMNED -> part[COLLECT] = sets[tree[COLLECT]]
		:: else -> forget(COLLECT)
		fi } }
#if HOLDS > 0
	:: d_step { pc[COLLECT] == FENCES_READ && holds > 0 -> pc[COLLECT] = DECIDED; hold(COLLECT) }
	:: d_step { pc[COLLECT] == DECIDED && (what[COLLECT] == DELETE || what[COLLECT] == PUT_BACK) && holds > 0 -> hold(COLLECT) }
#endif
	od
}

#endif

init {
	d_step {
		for (e : 0 .. NE - 1) { fence[e] = 1; alias[e] = 1 }
		plan[1] = 1; mark[1] = LIVE; sets[1] = WHOLE
	}
	atomic {
		run Enactor(0); run Enactor(1); run Planner(); run Collector();
#ifdef UPLOADS
		run Sweeper();
#endif
#if HOLDS > 0
		run Network(HELD);
#endif
#if HOLDS > 1
		run Network(HELD + 1);
#endif
#if STOPS > 0
		run Operator();
#endif
#if DEEDS > 0
		run Person();
#endif
	}
}

#ifdef LIVENESS
/* Never stuck: whatever happens, in the end the endpoints stand at the newest plan, and stay. Under weak fairness. */
ltl reaches { <> [] (head == NG && gen == head && STANDS(plan[head]) && sets[plan[head]] == WHOLE) }
#endif
