------------------------------- MODULE caching -------------------------------
(***************************************************************************)
(* How cached items are decided on together: ADR 0014 and 0035.            *)
(*                                                                         *)
(* One table, any number of writers, and one process that decides:         *)
(* processes share nothing but the table.  `Items` are what one decision   *)
(* looks at.  Time is in ticks; the events of one tick have any order.     *)
(* Any time may pass between two steps, so a process may stand still       *)
(* between any two of its steps.  Each action names the code that it       *)
(* models.  `Without` removes rules: then one of the properties fails.     *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Items,
  Deadline, Late, Skew,       \* table/timing.ts; clocks differ by less than Skew
  ReadDeadline,               \* table/timing.ts
  Ttl, OutageTtl,             \* the options of engine/load.ts
  Modes,                      \* of { "cached", "atLeast", "strong", "outage" }
  Deletions,                  \* whether writes also delete and create items
  Jumps,                      \* whether the clock of the process is put right
  Evictions,                  \* whether the cache drops entries to make room
  Pauses,                     \* whether a read may be cached later than it ended
  Keeps,                      \* whether decisions are kept
  MaxTime, MaxWrites, MaxReads, MaxAsks,
  Without                     \* the names of the rules that are removed

VARIABLES
  now,        \* real time
  ahead,      \* by how much the process's clock is ahead of it
  log,        \* the states of the table, one for each commit
  reads,      \* the reads in flight
  begun,      \* how many reads were begun
  latest,     \* by item: the last read of it that can be shared
  cache,      \* by item: an entry, or None
  asks,       \* how many questions were asked
  asked,      \* the question that is being answered, or None
  own,        \* by item: the entry that this question itself has read, or None
  kept,       \* by item: the entry on which the decision that is kept rests, or None
  answer,     \* the last answer, or None
  seen        \* by item: the newest version that an answer has shown

vars == <<now, ahead, log, reads, begun, latest, cache, asks, asked, own, kept, answer, seen>>

Has(rule) == rule \notin Without
None == [none |-> TRUE]
Nothing == [i \in Items |-> None]
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Largest(set) == CHOOSE a \in set : \A b \in set : a >= b
Smallest(set) == CHOOSE a \in set : \A b \in set : a <= b
Ever == -1000                 \* before all else

(* table/timing.ts, COHERENCE_MARGIN_MS                                    *)
Margin == (IF Has("deadline") THEN Deadline ELSE 0)
        + (IF Has("late") THEN Late ELSE 0)
        + (IF Has("skew") THEN Skew ELSE 0)
(* engine/load.ts, `ownTtlMs`                                              *)
OwnTtl == Max(Ttl, ReadDeadline)
(* engine/clock.ts: what the process takes for the time                    *)
Clock == now + ahead

(* Two bounds of the model, not of what is modelled.  Nothing happens after *)
(* the last answer.  And a question is asked as early as it can be, since  *)
(* it may do all that a later one may, unless a write or its own beginning *)
(* bounds it.                                                              *)
GoesOn == asked # None \/ (asks < MaxAsks /\ Modes \cap {"atLeast", "strong"} # {})
Symmetry == Permutations(Items)

-----------------------------------------------------------------------------
(* THE TABLE.  A version of an item: which state it came with, its stamp,  *)
(* and whether there is an item at all.  A version has an id, `state`.     *)

Version(state, stamp, exists) == [state |-> state, stamp |-> stamp, exists |-> exists]

(* provisioning/provisioning.ts, table/dynamodb/writer.ts: a transaction   *)
(* is stamped when it is sent, by its writer's clock.  It is tried again   *)
(* until the deadline, and what was sent may arrive later.  If it is never *)
(* committed, it is nothing to a reader.  All its items change at one      *)
(* instant.  (A stamp so recent that the span begins after any read is the *)
(* same as the newest one.)                                                *)
Behind == (IF Jumps THEN 0 ELSE Skew - 1) + (IF Has("clocks that agree") THEN 0 ELSE 1)
Stamps == LET earliest == now - Deadline - Late - Behind - (IF Has("punctual writes") THEN 0 ELSE 1)
              newest == now + Skew - 1
          IN {stamp \in earliest .. newest : stamp + Margin <= MaxTime + Skew} \cup {newest}
Commit ==
  /\ GoesOn /\ Len(log) <= MaxWrites
  /\ \E touched \in SUBSET Items \ {{}},
        stamp \in Stamps :
     \E exists \in [touched -> IF Deletions THEN BOOLEAN ELSE {TRUE}] :
       log' = Append(log, [at |-> now, stamp |-> stamp, touched |-> touched,
         versions |-> [i \in Items |->
           IF i \notin touched THEN log[Len(log)].versions[i]
           ELSE Version(Len(log) + 1, IF exists[i] THEN stamp ELSE 0, exists[i])]])
  /\ UNCHANGED <<now, ahead, reads, begun, latest, cache, asks, asked, own, kept, answer, seen>>

-----------------------------------------------------------------------------
(* THE CACHE: engine/item-cache.ts                                         *)

(* Whether two versions count as the same.  Absence has no id.             *)
Same(a, b) == IF a.exists /\ b.exists
              THEN IF Has("write id") THEN a.state = b.state ELSE a.stamp = b.stamp
              ELSE a.exists = b.exists

(* `spanStart` and `place`: from when to when the version was current.     *)
Entry(version, start, end) ==
  [version |-> version,
   from   |-> IF ~version.exists THEN Ever
              ELSE Min(version.stamp + Margin,
                       (IF Has("end") THEN end ELSE start) + (IF Has("tick") THEN 1 ELSE 0)),
   until  |-> IF Has("start") THEN start ELSE end,
   seenAt |-> IF version.exists THEN 0 ELSE end]       \* used for absence only

(* `joinSpans`: two reads of the same version.                             *)
Join(entry, earlier) ==
  [entry EXCEPT !.from = Min(@, earlier.from), !.until = Max(@, earlier.until),
                !.seenAt = Max(@, earlier.seenAt)]

(* `place`: the entry of a read, and what the cache holds from then on.    *)
Joined(known, entry) ==
  IF known # None /\ Same(known.version, entry.version) THEN Join(entry, known) ELSE entry
Placed(known, entry) ==
  IF \/ known = None
     \/ Same(known.version, entry.version)
     \/ IF known.version.exists THEN entry.until >= known.from ELSE entry.until > known.seenAt
     \/ ~Has("replacement")
  THEN Joined(known, entry) ELSE known

(* `startRead`, of any items: for this question, or for another one that   *)
(* the process has to answer.  A snapshot is one TransactGetItems.         *)
BeginRead ==
  /\ GoesOn /\ begun < MaxReads
  /\ \E items \in SUBSET Items \ {{}},
        isSnapshot \in IF "strong" \in Modes THEN BOOLEAN ELSE {FALSE} :
       /\ reads' = reads \cup {[n |-> begun + 1, items |-> items, start |-> Clock,
                                since |-> Len(log), isSnapshot |-> isSnapshot]}
       /\ latest' = [i \in Items |-> IF i \in items /\ ~isSnapshot THEN begun + 1 ELSE latest[i]]
       /\ begun' = begun + 1
  /\ UNCHANGED <<now, ahead, log, cache, asks, asked, own, kept, answer, seen>>

(* engine/load.ts, `since`, and engine/cached-loader.ts: the reads that a  *)
(* question uses.  A read in flight is shared if it would be recent enough *)
(* in the cache, and if none of the same item began after it.  `atLeast`   *)
(* shares none that began before the question.                             *)
Uses(read) ==
  LET isLater == read.n > asked.begun
  IN CASE asked.mode = "cached"  -> ~read.isSnapshot /\ (isLater \/ read.start > asked.at - Ttl)
       [] asked.mode = "atLeast" -> ~read.isSnapshot /\ (isLater \/ ~Has("sharing"))
       [] asked.mode = "strong"  -> read.isSnapshot /\ isLater
       [] asked.mode = "outage"  -> FALSE

(* `seenAgain` in engine/load.ts                                           *)
Again(before, entry) ==
  IF before # None /\ Same(before.version, entry.version) /\ entry.until >= before.until
  THEN Join(entry, before) ELSE entry

(* `startRead`, `place`: a read ended at `end`, and its items are cached   *)
(* now or were so long held up.  Each item is of an instant of its own, at *)
(* or after the read's beginning.                                          *)
EndRead ==
  /\ GoesOn
  /\ \E read \in reads : \E end \in IF Pauses THEN read.start .. Clock ELSE {Clock} :
     LET oldest == IF Has("consistent reads") THEN read.since ELSE 1
         states == {k \in oldest .. Len(log) : k <= read.since \/ log[k].at + ahead <= end}
     IN \E state \in [read.items -> states] :
        LET entry == [i \in read.items |-> Entry(log[state[i]].versions[i], read.start, end)]
            joined == [i \in read.items |-> Joined(cache[i], entry[i])]
        IN /\ read.isSnapshot => \A i, j \in read.items : state[i] = state[j]
           /\ cache' = [i \in Items |-> IF i \in read.items THEN Placed(cache[i], entry[i])
                                        ELSE cache[i]]
           /\ reads' = reads \ {read}
           /\ \/ own' = own
              \/ /\ asked # None /\ Uses(read) /\ ~read.isSnapshot
                 /\ \E used \in SUBSET {i \in read.items : read.n > asked.begun \/ read.n = latest[i]} \ {{}} :
                      own' = [i \in Items |-> IF i \in used THEN Again(own[i], joined[i]) ELSE own[i]]
              \/ /\ asked # None /\ Uses(read) /\ read.isSnapshot
                 /\ own' = [i \in Items |-> IF i \in read.items THEN joined[i] ELSE None]
  /\ UNCHANGED <<now, ahead, log, begun, latest, asks, asked, kept, answer, seen>>

(* The bound in bytes: engine/cached-loader.ts                             *)
Evict ==
  /\ GoesOn /\ Evictions
  /\ \E i \in Items : cache[i] # None /\ cache' = [cache EXCEPT ![i] = None]
  /\ UNCHANGED <<now, ahead, log, reads, begun, latest, asks, asked, own, kept, answer, seen>>

-----------------------------------------------------------------------------
(* DECISIONS: engine/load.ts                                               *)

(* A question begins.  The token of `atLeast` holds the time of the answer *)
(* to a write: at the earliest that of the commit, by a clock that is      *)
(* behind.  `oldestFor` adds the skew.                                     *)
Ask ==
  /\ asked = None /\ asks < MaxAsks
  /\ asks' = asks + 1
  /\ \E mode \in Modes : \E floor \in IF mode = "atLeast" THEN 2 .. Len(log) ELSE {Len(log)} :
       asked' = [mode |-> mode, at |-> Clock, begun |-> begun,
                 floor |-> IF mode \in {"atLeast", "strong"} THEN floor ELSE 1,
                 oldest |-> IF mode # "atLeast" THEN Ever
                            ELSE log[floor].at - Behind + (IF Has("token skew") THEN Skew ELSE 0)]
  /\ own' = Nothing
  /\ UNCHANGED <<now, ahead, log, reads, begun, latest, cache, kept, answer, seen>>

(* `createTrial`, `find`: what this question has read, else what is cached *)
Found(i) ==
  LET oldest == IF asked.mode = "outage" THEN Clock - OutageTtl
                ELSE Max(asked.oldest, Clock - Ttl)
  IN CASE own[i] # None          -> own[i]
       [] asked.mode = "strong"  -> None
       [] cache[i] = None        -> None
       [] OTHER                  -> IF cache[i].until > oldest THEN cache[i] ELSE None

(* `isUsable` and `loadedAt`.  Who keeps the answer (engine/session.ts, or *)
(* a policy) may use it until it expires.                                  *)
Answer ==
  /\ asked # None /\ \A i \in Items : Found(i) # None
  /\ LET from == Largest({Found(i).from : i \in Items})
         until == Smallest({Found(i).until : i \in Items})
         ownTtl == IF asked.mode = "outage" THEN OutageTtl ELSE OwnTtl
         keptTtl == IF asked.mode = "outage" THEN Max(Ttl, OutageTtl) ELSE Ttl
         isOneCall == \A i, j \in Items : Found(i).until = Found(j).until
         versions == [i \in Items |-> Found(i).version]
     IN /\ \/ from <= until
           \/ asked.mode = "strong"
           \/ ~Has("coherence")
           \/ (~Has("torn batches") /\ isOneCall)
        /\ until > Clock - ownTtl \/ ~Has("age at answer")
        /\ answer' = [versions |-> versions, floor |-> asked.floor, ownTtl |-> ownTtl, keptTtl |-> keptTtl,
                      lastUse |-> (IF Has("age of a memo") THEN until ELSE Clock) + keptTtl - 1 - ahead,
                      isBack |-> \E i \in Items : versions[i].exists /\ versions[i].state < seen[i]]
        /\ seen' = [i \in Items |-> Max(seen[i], versions[i].state)]
  (* engine/deciding.ts: made of cached entries alone, it is kept; or it is  *)
  (* another decision over the same items.                                   *)
  /\ \/ kept' = kept
     \/ /\ Keeps /\ asked.mode = "cached" /\ \A i \in Items : Found(i) = cache[i]
        /\ kept' = cache
  /\ asked' = None
  /\ own' = Nothing
  /\ UNCHANGED <<now, ahead, log, reads, begun, latest, cache, asks>>

(* `holdsIn` and `again` in engine/load.ts: a decision that is kept is     *)
(* given again while each entry is still the cached one and recent enough, *)
(* to a question that has read nothing itself.                             *)
GiveAgain ==
  /\ Keeps /\ asked # None /\ asked.mode = "cached" /\ own = Nothing
  /\ \A i \in Items :
       /\ kept[i] # None
       /\ kept[i] = cache[i] \/ ~Has("entries of what is kept")
       /\ kept[i].until > Clock - Ttl \/ ~Has("age of what is kept")
  /\ LET until == Smallest({kept[i].until : i \in Items})
         versions == [i \in Items |-> kept[i].version]
     IN /\ answer' = [versions |-> versions, floor |-> asked.floor, ownTtl |-> OwnTtl, keptTtl |-> Ttl,
                      lastUse |-> until + Ttl - 1 - ahead,
                      isBack |-> \E i \in Items : versions[i].exists /\ versions[i].state < seen[i]]
        /\ seen' = [i \in Items |-> Max(seen[i], versions[i].state)]
  /\ asked' = None
  /\ UNCHANGED <<now, ahead, log, reads, begun, latest, cache, asks, own, kept>>

-----------------------------------------------------------------------------
(* TIME                                                                    *)

Tick ==
  /\ GoesOn /\ now < MaxTime
  /\ now' = now + 1
  /\ UNCHANGED <<ahead, log, reads, begun, latest, cache, asks, asked, own, kept, answer, seen>>

(* engine/clock.ts: a clock that goes back empties the cache.  Reads that  *)
(* were begun are not used, and a question begins anew.                    *)
SetClock ==
  /\ GoesOn /\ Jumps
  /\ ahead' \in 0 .. Skew - 1 \ {ahead}
  /\ IF ahead' < ahead /\ Has("set back")
     THEN /\ cache' = Nothing /\ own' = Nothing /\ reads' = {}
          /\ asked' = IF asked = None THEN None ELSE [asked EXCEPT !.at = now + ahead', !.begun = begun]
     ELSE UNCHANGED <<cache, own, reads, asked>>
  /\ UNCHANGED <<now, log, begun, latest, asks, kept, answer, seen>>

Init ==
  /\ now = 0
  /\ ahead = 0
  /\ \E exists \in [Items -> IF Deletions THEN BOOLEAN ELSE {TRUE}] :
       log = <<[at |-> Ever, stamp |-> Ever, touched |-> Items, versions |-> [i \in Items |->
                 Version(1, IF exists[i] THEN Ever ELSE 0, exists[i])]]>>
  /\ reads = {} /\ begun = 0 /\ latest = [i \in Items |-> 0] /\ cache = Nothing
  /\ asks = 0 /\ asked = None /\ own = Nothing /\ kept = Nothing
  /\ answer = None /\ seen = [i \in Items |-> 1]

Next == Tick \/ SetClock \/ Commit \/ BeginRead \/ EndRead \/ Evict \/ Ask \/ Answer \/ GiveAgain
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* WHAT MUST HOLD                                                          *)

(* The states in which the answer was true: those with all its versions, or *)
(* those that lack an item for whose absence it refuses.                   *)
States == {k \in 1 .. Len(log) :
  \/ \A i \in Items : answer.versions[i] = log[k].versions[i]
  \/ /\ Has("refusal by absence")
     /\ \E i \in Items : ~answer.versions[i].exists /\ ~log[k].versions[i].exists}
(* The last instant of a state that is certain: it may end now.            *)
LastInstant(k) == IF k = Len(log) THEN now ELSE log[k + 1].at
IsGiven == answer # None /\ asked = None

(* Every answer was true at some instant.                                  *)
OneInstant == IsGiven => States # {}

(* One of these instants is within the bound, when the answer is given and *)
(* when it is used for the last time.                                      *)
WithinBound ==
  IsGiven /\ States # {} =>
    \E k \in States : /\ LastInstant(k) > now - answer.ownTtl
                      /\ LastInstant(k) > answer.lastUse - answer.keptTtl

(* `atLeast` is never older than the write; `strong` not than the question. *)
NotOlder == IsGiven /\ States # {} => \E k \in States : k >= answer.floor

(* Of two writes, the second one issued after the first was committed, no  *)
(* answer that may allow shows the second without the first.               *)
InOrder ==
  IsGiven /\ (\A i \in Items : answer.versions[i].exists) =>
    ~ \E first, second \in 2 .. Len(log) :
        /\ first < second /\ log[first].at <= log[second].stamp + Behind
        /\ \E i \in log[first].touched : answer.versions[i].state < first
        /\ \E i \in log[second].touched : answer.versions[i].state >= second

(* While nothing is evicted: a question that is asked after an answer sees *)
(* no older version than that showed (absence apart, which only refuses).  *)
Forward == IsGiven => ~answer.isBack
=============================================================================
