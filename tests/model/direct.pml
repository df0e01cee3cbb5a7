/*
 * The direct layout: an endpoint's own name carries its record sets.
 *
 * One zone with a switch and two endpoints, one plan table, a planner, two enactors, a collector, an operator and a person.
 * Every step is one call to the outside. docs/model.md says what is modelled, what is not, and how to read the variants.
 *
 * Nonces. A text with a nonce is never written twice, so a batch that rests on a text that has changed since can never land.
 * The model drops such a batch at the very moment the text changes: it needs no nonces, and has far fewer states.
 * Absent records have no nonce and record sets have none either: those are compared by value when the batch is evaluated.
 *
 * Contents. An endpoint has two record sets of one kind, k0 and k1, each absent (0) or at value 1 or 2. A content is
 * k0 + 4 * k1, and is its own digest. A: 1,1   B: 1,2   C: 2,1   D: -,1
 */
#define A 5
#define B 9
#define C 6
#define D 4

#ifndef NG
#define NG 3            /* generations at most */
#endif
#ifndef HOLDS
#define HOLDS 1         /* batches that may be held on their way */
#endif
#ifndef STOPS
#define STOPS 0         /* stops, each with its start */
#endif
#ifndef DEEDS
#define DEEDS 0         /* what a person may do at the console */
#endif
#ifndef COLLECTS
#define COLLECTS 0      /* runs of the collector */
#endif
#ifndef REFUSED_WHOLE
#define REFUSED_WHOLE 0 /* generation that enactor a refuses plan-wide */
#endif
#ifndef REFUSED_AT
#define REFUSED_AT 0    /* generation whose content at endpoint 0 every enactor refuses */
#endif
#ifndef CHOICES
#define CHOICES 4       /* contents that the planner chooses from at endpoint 0 */
#endif

#define LOW(x)  ((x) & 3)
#define HIGH(x) ((x) >> 2)
#define NAME(x) ((x) == A -> 'A' : ((x) == B -> 'B' : ((x) == C -> 'C' : ((x) == D -> 'D' : ((x) == 0 -> '-' : '?')))))
#define WHO(s)  ((s) < 2 -> 'a' + (s) : '*')     /* *: one whose batch was held on its way */
#define HELD 2          /* slots 0 and 1 are the enactors', from here on those of batches held on their way */
#define SLOTS (2 + HOLDS)

/* The zone. A fence is the content that it names, 0 where there is none. */
byte gen = 1;
bool running = true;
byte fence[2];
byte sets[2];

/* The plan table. */
byte head = 1;
byte plan0[NG + 1];
byte plan1[NG + 1];
byte condemned[NG + 1];
byte gone[NG + 1];
byte pinned;

/* What an enactor has read and decided, and the batch that is held. */
#define IDLE 0
#define SWITCH_READ 1
#define HEAD_READ 2
#define FENCES_READ 3
#define DECIDED 4
#define KNOWN 5         /* by memory: fences and sets are known, the switch is read next */
#define KNOWN_SWITCH 6
byte pc[SLOTS];
byte work[SLOTS];           /* the working plan */
byte base[SLOTS];           /* the open generation as observed */
byte in0[SLOTS]; byte in1[SLOTS];       /* whether the batch has a swap of the endpoint */
byte want0[SLOTS]; byte want1[SLOTS];   /* the content that the swap leaves */
byte seen0[SLOTS]; byte seen1[SLOTS];   /* the record sets as observed */
byte bare0[SLOTS]; byte bare1[SLOTS];   /* whether no fence was observed */
byte opens[SLOTS];
byte era[SLOTS];            /* how often the zone had been stopped when the batch was decided */

byte holds = HOLDS;
byte deeds = DEEDS;
byte stops = STOPS;
byte stopped = 0;
byte settled = 1;       /* the highest generation that an enactor has called settled */
byte cpc[2], cgen[2], ckept[2], collects = COLLECTS;

hidden byte i, j, x, y, f, after, ok, was0, was1, e, before, t, fo, na, nb;

#define forget(s) \
	pc[s] = IDLE; work[s] = 0; base[s] = 0; in0[s] = 0; in1[s] = 0; want0[s] = 0; want1[s] = 0; \
	seen0[s] = 0; seen1[s] = 0; bare0[s] = 0; bare1[s] = 0; opens[s] = 0; era[s] = 0

/* The switch's text has changed: whatever rests on it is lost. Fences and sets that are remembered stay. */
inline switch_changed(s) {
#ifndef NO_SWITCH_NONCE
	for (i : 0 .. SLOTS - 1) {
		if
		:: i == s || pc[i] == IDLE || pc[i] == KNOWN
		:: else -> forget(i)
		fi
	}
#endif
	skip
}

/* A fence's text has changed: what rests on it is lost. Without a fence there was no text to rest on. */
inline fence_changed(s, n) {
#ifndef NO_FENCE_CAS
	for (i : 0 .. SLOTS - 1) {
		if
		:: i == s || pc[i] == IDLE || pc[i] == SWITCH_READ || pc[i] == HEAD_READ
		:: i != s && pc[i] == DECIDED && n == 0 && (in0[i] == 0 || bare0[i])
		:: i != s && pc[i] == DECIDED && n == 1 && (in1[i] == 0 || bare1[i])
		:: else -> forget(i)
		fi
	}
#endif
	skip
}

#define READABLE(g) (!condemned[g] && !gone[g])
#define REFUSES(s, g) ((s) == 0 && (g) == REFUSED_WHOLE)

/* Whether any kept plan has a content at an endpoint. */
inline is_kept(n, content) {
	ok = 0;
	for (j : 1 .. head) {
		if
		:: READABLE(j) && ((n == 0 && plan0[j] == content) || (n == 1 && plan1[j] == content)) -> ok = 1
		:: else
		fi
	}
}

/* Decide at one endpoint: t becomes the content to write, 0 where nothing is to be done. */
inline decide_at(s, n, observed) {
	f = fence[n];
	y = (n == 0 -> plan0[work[s]] : plan1[work[s]]);
	t = 0;
	if
	:: f == 0 && observed == 0 -> t = y
	:: f == 0 && observed != 0 ->
		is_kept(n, observed);
		if
		:: ok || observed == y -> t = y
		:: else               /* foreign: waits for a person */
		fi
	:: f != 0 && f == y -> t = (observed == y -> 0 : y)
	:: f != 0 && f != y && REFUSED_AT && work[s] == REFUSED_AT && n == 0 ->
		is_kept(n, f);
		t = (ok && observed != f -> f : 0)
	:: else -> t = y
	fi
}

/* Everything is read: decide. A batch may have a swap of either endpoint or of both. */
inline decide(s) {
	d_step {
		opens[s] = (work[s] > base[s]);
		era[s] = stopped;
		decide_at(s, 0, seen0[s]); want0[s] = t; in0[s] = (t != 0); bare0[s] = (t != 0 && fence[0] == 0);
		decide_at(s, 1, seen1[s]); want1[s] = t; in1[s] = (t != 0); bare1[s] = (t != 0 && fence[1] == 0);
		if
		:: in0[s] == 0 -> seen0[s] = 0; want0[s] = 0
		:: else
		fi;
		if
		:: in1[s] == 0 -> seen1[s] = 0; want1[s] = 0
		:: else
		fi
	}
	if
	:: in0[s] && in1[s] ->
		if
		:: skip
		:: d_step { in0[s] = 0; want0[s] = 0; seen0[s] = 0; bare0[s] = 0 }
		:: d_step { in1[s] = 0; want1[s] = 0; seen1[s] = 0; bare1[s] = 0 }
		fi
	:: else
	fi;
	d_step {
		if
		:: in0[s] || in1[s] ->
			pc[s] = DECIDED;
			printf("@@ enactor %c decides to write endpoint 0: %c, endpoint 1: %c (plan %d)\n",
				WHO(s), NAME(want0[s]), NAME(want1[s]), work[s])
#ifndef NO_EMPTY_OPENING
		:: !in0[s] && !in1[s] && opens[s] ->
			pc[s] = DECIDED;
			printf("@@ enactor %c sees that nothing changes: it will open generation %d alone\n", WHO(s), work[s])
#endif
		:: else ->
			settled = (work[s] > settled -> work[s] : settled);
			printf("@@ enactor %c sees that all is as plan %d says: it calls %d settled\n", WHO(s), work[s], work[s]);
			forget(s)
		fi
	}
}

/* A swap's conditions on the record sets at one endpoint, and what they are afterwards. */
inline play(is_in, want, observed, bare, n) {
	after = sets[n];
	if
	:: is_in ->
		before = sets[n];
		/* the fence */
		if
		:: bare && fence[n] != 0 -> ok = 0
		:: else
		fi;
		/* sets that change, and, where there was no fence, all of them */
		if
		:: (bare || LOW(observed) != LOW(want)) && LOW(before) != LOW(observed) -> ok = 0
		:: (bare || HIGH(observed) != HIGH(want)) && HIGH(before) != HIGH(observed) -> ok = 0
		:: else
		fi;
		na = (LOW(observed) != LOW(want) -> LOW(want) : LOW(before));
		nb = (HIGH(observed) != HIGH(want) -> HIGH(want) : HIGH(before));
#ifndef NO_SURVIVORS
		/* survivors: where sets go, or none comes, one untouched set is asserted */
		x = (LOW(observed) != LOW(want) && LOW(want) != 0) || (HIGH(observed) != HIGH(want) && HIGH(want) != 0);
		if
		:: x -> skip
		:: !x && LOW(observed) == LOW(want) && LOW(want) != 0 -> ok = (LOW(before) == LOW(observed) -> ok : 0)
		:: else -> ok = (HIGH(before) == HIGH(observed) -> ok : 0)
		fi;
#endif
		after = na + 4 * nb
	:: else
	fi
}

/* The promises, judged where a batch lands at one endpoint. */
inline judge(s, is_in, want, n, new) {
	if
	:: is_in ->
		/* never empty */
		if
		:: sets[n] != 0 && new == 0 -> printf("@@ BROKEN never empty: this call took the last record set of endpoint %d away\n", n); assert(false)
		:: else
		fi;
		/* never backwards */
		if
		:: !(want == (n == 0 -> plan0[gen] : plan1[gen]) || want == fence[n]) ->
			printf("@@ BROKEN never backwards: endpoint %d was written otherwise than open plan %d says\n", n, gen); assert(false)
		:: else
		fi;
		/* whole: what the new fence says, but for what a person had changed before */
		if
		:: (LOW(new) != LOW(want) && (fence[n] == 0 || LOW(sets[n]) == LOW(fence[n]))) ||
		   (HIGH(new) != HIGH(want) && (fence[n] == 0 || HIGH(sets[n]) == HIGH(fence[n]))) ->
			printf("@@ BROKEN whole: the fence of endpoint %d says %c, and the record sets are a mix\n", n, NAME(want)); assert(false)
		:: else
		fi
	:: else
	fi
}

/* Route 53 evaluates the batch in a slot: all of it, or nothing. */
inline evaluate(s) {
	d_step {
		ok = running;
#ifdef NO_SWITCH_NONCE
		ok = running && gen == base[s];
#endif
		play(in0[s], want0[s], seen0[s], bare0[s], 0); was0 = after;
		play(in1[s], want1[s], seen1[s], bare1[s], 1); was1 = after;
		if
		:: ok ->
			printf("@@ the batch of enactor %c lands (plan %d)\n", WHO(s), work[s]);
			if
			:: work[s] < settled && (in0[s] || in1[s]) && !(in0[s] && want0[s] == fence[0]) && !(in1[s] && want1[s] == fence[1]) ->
				printf("@@ BROKEN never backwards: a batch of plan %d landed after %d was called settled\n", work[s], settled);
				assert(false)
			:: else
			fi;
			if
			:: era[s] != stopped ->
				printf("@@ BROKEN stop means stop: a batch that was decided before the stop landed after the start\n"); assert(false)
			:: else
			fi;
			if
			:: opens[s] -> assert(work[s] >= gen); gen = work[s]; switch_changed(s)
			:: else
			fi;
			judge(s, in0[s], want0[s], 0, was0);
			judge(s, in1[s], want1[s], 1, was1);
			if
			:: in0[s] -> sets[0] = was0; fence[0] = want0[s]; fence_changed(s, 0)
			:: else
			fi;
			if
			:: in1[s] -> sets[1] = was1; fence[1] = want1[s]; fence_changed(s, 1)
			:: else
			fi;
			forget(s)
		:: else ->
			printf("@@ a batch of enactor %c is refused\n", WHO(s));
			forget(s)
		fi
	}
}

proctype Enactor(byte s) {
end:	do
	:: atomic { pc[s] == IDLE && running ->
#ifdef SETS_FIRST
		seen0[s] = sets[0]; seen1[s] = sets[1];
		printf("@@ enactor %c reads the record sets first\n", WHO(s));
#endif
		pc[s] = SWITCH_READ; base[s] = gen;
		printf("@@ enactor %c reads the switch: open is %d\n", WHO(s), gen) }
	:: atomic { pc[s] == SWITCH_READ ->
		work[s] = (REFUSES(s, head) && head > base[s] -> base[s] : head);
		pc[s] = HEAD_READ;
		printf("@@ enactor %c reads HEAD: %d; works from plan %d\n", WHO(s), head, work[s]) }
	:: atomic { pc[s] == HEAD_READ -> pc[s] = FENCES_READ;
		printf("@@ enactor %c reads the fences\n", WHO(s)) }
	:: atomic { pc[s] == FENCES_READ ->
#ifndef SETS_FIRST
		seen0[s] = sets[0]; seen1[s] = sets[1];
		printf("@@ enactor %c reads the record sets\n", WHO(s));
#endif
		decide(s) }
	:: atomic { pc[s] == DECIDED -> evaluate(s) }
#if HOLDS > 0
	:: d_step { pc[s] == DECIDED && holds > 0 ->
		holds--; i = HELD;
		do
		:: pc[i] != IDLE -> i++
		:: else -> break
		od;
		pc[i] = DECIDED; work[i] = work[s]; base[i] = base[s]; in0[i] = in0[s]; in1[i] = in1[s];
		want0[i] = want0[s]; want1[i] = want1[s]; seen0[i] = seen0[s]; seen1[i] = seen1[s];
		bare0[i] = bare0[s]; bare1[i] = bare1[s]; opens[i] = opens[s]; era[i] = era[s];
		printf("@@ the batch of enactor %c (plan %d) is held on its way; no answer comes\n", WHO(s), work[s]);
		forget(s) }
#endif
#ifdef CRASH
	:: atomic { s == 1 -> forget(s); printf("@@ enactor b dies\n"); break }
#endif
#ifdef BY_MEMORY
	:: d_step { pc[s] == IDLE -> pc[s] = KNOWN; seen0[s] = sets[0]; seen1[s] = sets[1];
		printf("@@ enactor %c keeps in memory what stands\n", WHO(s)) }
	:: d_step { pc[s] == KNOWN && running -> pc[s] = KNOWN_SWITCH; base[s] = gen;
		printf("@@ enactor %c reads the switch: open is %d\n", WHO(s), gen) }
	:: atomic { pc[s] == KNOWN_SWITCH ->
		work[s] = (REFUSES(s, head) && head > base[s] -> base[s] : head);
		printf("@@ enactor %c reads HEAD: %d; works from plan %d and from memory\n", WHO(s), head, work[s]);
		decide(s) }
#endif
	od
}

/* A batch that is held lands at any time, or never. */
proctype Network(byte s) {
end:	do
	:: atomic { pc[s] == DECIDED -> printf("@@ a batch that was held arrives\n"); evaluate(s) }
	od
}

proctype Planner() {
end:	do
	:: atomic { head < NG ->
		if
		:: x = A
		:: CHOICES > 1 -> x = B
		:: CHOICES > 2 -> x = C
		:: CHOICES > 3 -> x = D
		fi;
		if
		:: y = A
		:: y = B
		fi;
		head++;
		plan0[head] = x; plan1[head] = y;
		printf("@@ the planner publishes plan %d: endpoint 0 %c, endpoint 1 %c\n", head, NAME(x), NAME(y)); x = 0; y = 0 }
	od
}

/* Stop and start: a new text of the switch each time, the generation kept. */
proctype Operator() {
end:	do
	:: d_step { running && stops > 0 -> running = false; stops--; stopped++; switch_changed(9); printf("@@ the operator stops the zone\n") }
	:: d_step { !running -> running = true; switch_changed(9); printf("@@ the operator starts the zone\n") }
	od
}

/* A person at the console. */
proctype Person() {
end:	do
	:: d_step { deeds > 0 && (fence[0] || sets[0]) -> deeds--; x = fence[0]; fence[0] = 0; sets[0] = 0;
		if
		:: x -> fence_changed(9, 0)
		:: else
		fi;
		x = 0; printf("@@ a person wipes endpoint 0, fence and all\n") }
	:: d_step { deeds > 0 && sets[0] -> deeds--; sets[0] = 0; printf("@@ a person wipes the record sets of endpoint 0\n") }
	:: d_step { deeds > 0 && fence[0] -> deeds--; fence[0] = 0; fence_changed(9, 0); printf("@@ a person wipes the fence of endpoint 0\n") }
	:: d_step { deeds > 0 && LOW(sets[0]) && HIGH(sets[0]) -> deeds--; sets[0] = LOW(sets[0]);
		printf("@@ a person deletes set k1 of endpoint 0\n") }
	:: d_step { deeds > 0 && LOW(sets[0]) && HIGH(sets[0]) -> deeds--; sets[0] = 4 * HIGH(sets[0]);
		printf("@@ a person deletes set k0 of endpoint 0\n") }
	od
}

/* Whether the fence of an endpoint needs this plan: it is the newest kept one with that content, or the only one. */
inline needed(g, c) {
	ok = 0;
	for (i : 0 .. 1) {
		if
		:: fence[i] && (i == 0 -> plan0[g] : plan1[g]) == fence[i] ->
			x = 1;
			for (j : g + 1 .. head) {
				if
				:: ((ckept[c] >> j) & 1) && (i == 0 -> plan0[j] : plan1[j]) == fence[i] -> x = 0
				:: else
				fi
			}
			ok = ok || x
		:: else
		fi
	}
}

#ifdef NO_ABOVE
#define IS_ABOVE(g) true
#else
#define IS_ABOVE(g) (gen > (g))
#endif

#ifdef NO_CONDEMN
#define IS_MINE(g) true
#else
#define IS_MINE(g) (condemned[g] == 1 + c)
#endif

/* Of two collectors that are at one plan the later one takes over; its token is the one that stands. */
proctype Collector(byte c) {
end:	do
	:: atomic { cpc[c] == 0 && collects > 0 && head > 1 ->
		if
		:: cgen[c] = 1
		:: head > 2 -> cgen[c] = 2
		:: head > 3 -> cgen[c] = 3
		fi;
		if
		:: !gone[cgen[c]] && IS_ABOVE(cgen[c]) -> collects--; cpc[c] = 1;
			printf("@@ collect %d reads the switch: open is %d, above plan %d\n", c, gen, cgen[c])
		:: else -> cgen[c] = 0
		fi }
#ifndef NO_CONDEMN
	:: atomic { cpc[c] == 1 && (cgen[c] == head || gone[cgen[c]] || pinned == cgen[c]) -> cpc[c] = 0; cgen[c] = 0 }
	:: atomic { cpc[c] == 1 && cgen[c] != head && !gone[cgen[c]] && pinned != cgen[c] ->
		condemned[cgen[c]] = 1 + c; cpc[c] = 2; printf("@@ collect %d condemns plan %d\n", c, cgen[c]) }
#else
	:: atomic { cpc[c] == 1 -> cpc[c] = 2 }
#endif
	:: d_step { cpc[c] == 2 -> ckept[c] = 0;
		for (i : 1 .. head) {
			if
			:: READABLE(i) && i != cgen[c] -> ckept[c] = ckept[c] | (1 << i)
			:: else
			fi
		}
		cpc[c] = 3; printf("@@ collect %d looks at the table\n", c) }
#ifndef NO_LOOK
	:: d_step { cpc[c] == 3 -> needed(cgen[c], c); cpc[c] = (ok -> 5 : 4); ckept[c] = 0; x = 0;
		
		if
		:: cpc[c] == 5 -> printf("@@ collect %d looks at the fences: plan %d is needed\n", c, cgen[c])
		:: else -> printf("@@ collect %d looks at the fences: nothing needs plan %d\n", c, cgen[c])
		fi }
#else
	:: d_step { cpc[c] == 3 -> cpc[c] = 4; ckept[c] = 0 }
#endif
	:: d_step { cpc[c] > 3 && !IS_MINE(cgen[c]) -> cpc[c] = 0; cgen[c] = 0; printf("@@ collect %d sees that another has taken over\n", c) }
	:: d_step { cpc[c] == 4 && IS_MINE(cgen[c]) && cgen[c] == pinned -> printf("@@ BROKEN never collect: a pinned plan is deleted\n"); assert(false) }
	:: d_step { cpc[c] == 4 && IS_MINE(cgen[c]) && cgen[c] != pinned -> gone[cgen[c]] = 1; condemned[cgen[c]] = 0; printf("@@ collect %d deletes plan %d\n", c, cgen[c]);
		cpc[c] = 0; cgen[c] = 0 }
	:: d_step { cpc[c] == 5 && IS_MINE(cgen[c]) -> condemned[cgen[c]] = 0; printf("@@ collect %d puts plan %d back\n", c, cgen[c]); cpc[c] = 0; cgen[c] = 0 }
	od
}

/* Somebody pins a plan that is not condemned. */
proctype Pinner() {
end:	do
	:: d_step { pinned == 0 && head > 2 && READABLE(1) -> pinned = 1; printf("@@ somebody pins plan 1\n") }
	od
}

/* Promise 4, in every state: HEAD and the open plan are there, and so is a plan with what each fence names. */
#define THERE(n, g) (g <= head && !gone[g] && (n == 0 -> plan0[g] : plan1[g]) == fence[n])
#if NG == 2
#define NEEDED_IS_THERE(n) (fence[n] == 0 || THERE(n, 1) || THERE(n, 2))
#elif NG == 3
#define NEEDED_IS_THERE(n) (fence[n] == 0 || THERE(n, 1) || THERE(n, 2) || THERE(n, 3))
#else
#define NEEDED_IS_THERE(n) (fence[n] == 0 || THERE(n, 1) || THERE(n, 2) || THERE(n, 3) || THERE(n, 4))
#endif

active proctype Watch() {
end:	do
	:: d_step { gone[head] || gone[gen] || !NEEDED_IS_THERE(0) || !NEEDED_IS_THERE(1) ->
		printf("@@ BROKEN never collect: a plan that is HEAD, open, or named by a fence is gone\n"); assert(false) }
	od
}

init {
	atomic {
		for (i : 0 .. 1) { fence[i] = A; sets[i] = A }
		plan0[1] = A; plan1[1] = A;
		run Enactor(0); run Enactor(1); 
#if HOLDS > 0
		run Network(HELD);
#endif
#if HOLDS > 1
		run Network(HELD + 1);
#endif
	 run Planner();
#if STOPS > 0
		run Operator();
#endif
#if DEEDS > 0
		run Person();
#endif
#if COLLECTS > 0
		run Collector(0);
#ifdef TWO_COLLECTORS
		run Collector(1);
#endif
#ifdef PINS
		run Pinner();
#endif
#endif
		i = 0; j = 0
	}
}

#ifdef LIVENESS
/* Never stuck: whatever happens, in the end each endpoint stands as the newest plan says, and stays. Under weak fairness.
   Endpoint 0 may wait for a person: foreign (record sets without a fence), or refused by a guard, on what its fence names. */
#define FOREIGN (fence[0] == 0 && sets[0] != 0)
#define REFUSED (REFUSED_AT == NG && fence[0] == sets[0] && fence[0] != 0)
ltl reaches { <> [] (head == NG && gen == head && fence[1] == plan1[head] && sets[1] == plan1[head] &&
	((fence[0] == plan0[head] && sets[0] == plan0[head]) || FOREIGN || REFUSED)) }
#endif
