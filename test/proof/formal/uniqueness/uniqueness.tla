----------------------------- MODULE uniqueness -----------------------------
\* Unique values, operations and commands in steps (ADR 0007).
\*
\* Callers name operations. Each is one command, and copies of it run: repetitions, retries, two at once. A copy
\* reads, plans, and sends one transaction after the other, which arrives late, twice or never, and whose answer may
\* be lost. Any copy may stop anywhere, as if it were killed: no step has to happen.
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Copies, Ops,  \* copies of requests, each of which runs once; operation ids that callers named. Where both are
            \* the same set, each copy is of the operation of its name: to exchange two is one exchange, not two
  Nodes,    \* ids; "u" exists in the beginning, with the value "a"
  Values,   \* what must be unique: emails, names
  Kinds,    \* the commands that operations are of
  Without,  \* the rules that are left out: {} is the protocol
  None      \* nothing

VARIABLES
  node,     \* id -> None, or its value, incarnation, revision, whether its deletion has begun and a DENY overrides
  guard,    \* value -> id of its owner
  edges,    \* id -> its edges, each with the incarnation for which it was planned
  record,   \* operation -> the copy whose answer it has: OPERATION#id (provisioning/operation.ts)
  wire,     \* transactions under way
  cmd, opOf,  \* what each operation is, and of which operation each copy is
  pc, plan, again, answer,  \* of each copy
  made, first, begun, effects, stray     \* for the properties only

table == <<node, guard, edges, record, made, begun, effects, stray>>
vars == <<table, wire, cmd, opOf, pc, plan, again, answer, first>>
Keeps(rule) == rule \notin Without
Cmd(c) == cmd[opOf[c]]
Named(es) == {x[1] : x \in es}
Halves == {"maker", "checker"}  \* what an invariant separates: "give" gives a node one of them (evidence/invariants)
Commands == {x \in [kind : Kinds, n : Nodes, v : Values \cup {"allow", "deny"} \cup Halves] :
  CASE x.kind = "attach" -> x.v \in {"allow", "deny"} [] x.kind = "give" -> x.v \in Halves
    [] x.kind \in {"delete", "flip", "lift"} -> x.v = "a" [] OTHER -> x.v \in Values}
\* Where a DENY overrides, it bars from the second half. "flip" changes whether it does, "lift" takes it away.
HasBoth(over, some) == Halves \subseteq some /\ ~(over /\ "deny" \in some)
OfInvariants == {"give", "flip", "lift"}
Creates(kind) == kind \in {"create", "found"}  \* "found": with both edges (transaction.write)
Both(inc) == {<<"allow", inc>>, <<"deny", inc>>}

Init ==
  /\ node = [n \in Nodes |->
       IF n = "u" THEN [val |-> "a", inc |-> 1, rev |-> 0, closing |-> FALSE, over |-> FALSE] ELSE None]
  /\ guard = [v \in Values |-> IF v = "a" THEN "u" ELSE None]
  /\ \E es \in {{}, Both(1)} \cup (IF "lift" \in Kinds THEN {Both(1) \cup {<<"maker", 1>>}} ELSE {}) :
       edges = [n \in Nodes |-> IF n = "u" THEN es ELSE {}]
  /\ record = [o \in Ops |-> None] /\ wire = {} /\ cmd \in [Ops -> Commands]
  /\ opOf \in IF Ops = Copies THEN {[c \in Copies |-> c]} ELSE {f \in [Copies -> Ops] : {f[c] : c \in Copies} = Ops}
  /\ pc = [c \in Copies |-> "start"] /\ plan = [c \in Copies |-> None] /\ again = [c \in Copies |-> FALSE]
  /\ answer = [c \in Copies |-> <<"none">>] /\ first = [o \in Ops |-> None]
  /\ made = 1 /\ begun = {} /\ effects = [o \in Ops |-> 0] /\ stray = FALSE

Goes(c, to) == pc' = [pc EXCEPT ![c] = to] /\ UNCHANGED answer
Answers(c, what) == pc' = [pc EXCEPT ![c] = "done"] /\ answer' = [answer EXCEPT ![c] = what]
Recalled(c) == <<"ok", record[opOf[c]]>>  \* recall (operation.ts)

\* What a copy does (provisioning/provisioning.ts, carryOut and write).
\* earlier(): a repetition gets the answer that is on record.
Start(c) ==
  /\ pc[c] = "start"
  /\ IF record[opOf[c]] # None THEN Answers(c, Recalled(c)) ELSE Goes(c, "plan")
  /\ LET m == node[Cmd(c).n]
     IN first' = [first EXCEPT ![opOf[c]] = IF @ # None THEN @ ELSE IF m = None THEN 0 ELSE m.inc]
  /\ UNCHANGED <<table, wire, cmd, opOf, plan, again>>

\* command.plan(): reads the node. What it refuses by itself it looks into once more (Look).
Plan(c) ==
  /\ pc[c] = "plan"
  /\ LET x == Cmd(c)
         m == node[x.n]
         taken == ~Keeps("condition, not check") /\ x.kind \notin OfInvariants \cup {"attach"} /\ guard[x.v] \notin {None, x.n}
         refused == CASE Creates(x.kind) -> taken
                      [] x.kind = "delete" -> m = None /\ ~again[c]      \* unlessGone (nodes/nodes.ts)
                      [] OTHER -> m = None \/ m.closing \/ taken         \* refuseDeleting
     IN /\ plan' = [plan EXCEPT ![c] = m] /\ again' = [again EXCEPT ![c] = @ \/ ~refused]
        /\ Goes(c, IF refused THEN "failed" ELSE "send")
  /\ UNCHANGED <<table, wire, cmd, opOf, first>>

\* The transactions to which a plan may come. Two edges do not fit into one with their node (kinds/deletion.ts):
\* the first step closes, the next ones take edges away, the last one the rest.
Requests(c) ==
  LET x == Cmd(c)
      m == plan[c]
      es == edges[x.n]  \* read after the node
      r(kind, some) == [c |-> c, kind |-> kind, n |-> x.n, v |-> x.v, m |-> m, es |-> some]
  IN CASE x.kind = "lift" -> {r("lift", {e \in es : e[1] = "deny"})}
       [] x.kind # "delete" -> {r(x.kind, {})}
       [] m = None -> {r("nothing", {})}  \* somebody else has deleted it meanwhile: success
       [] Cardinality(es) <= 1 -> {r("remove", es)}
       [] m.closing \/ ~Keeps("first step closes") -> {r("cut", {e}) : e \in es}
       [] OTHER -> {r("close", {})}

\* brokenBy (new-violations.ts): after the revision, which is that of the node here, what would be broken is read.
Breaks(c) ==
  LET x == Cmd(c)
      m == node[x.n]
      es == Named(edges[x.n])
  IN /\ x.kind \in OfInvariants /\ m # None
     /\ HasBoth(IF x.kind = "flip" THEN ~plan[c].over ELSE m.over,
                CASE x.kind = "give" -> es \cup {x.v} [] x.kind = "lift" -> es \ {"deny"} [] OTHER -> es)
Refuse(c) ==
  /\ pc[c] = "send" /\ Breaks(c) /\ Goes(c, "failed")
  /\ UNCHANGED <<table, wire, cmd, opOf, plan, again, first>>
Send(c) ==
  /\ pc[c] = "send" /\ ~Breaks(c)
  /\ \E r \in Requests(c) : wire' = wire \cup {r} /\ plan' = [plan EXCEPT ![c] = r] /\ Goes(c, "wait")
  /\ UNCHANGED <<table, cmd, opOf, again, first>>
\* The writer's deadline (table/dynamodb/writer.ts): the request stays under way, and nobody knows what comes of it.
GiveUp(c) ==
  /\ pc[c] = "wait" /\ Answers(c, IF record[opOf[c]] = None THEN <<"retry">> ELSE Recalled(c))
  /\ UNCHANGED <<table, wire, cmd, opOf, plan, again, first>>

\* meanwhile(): no failure is answered before the record was looked at once more; if it cannot be read: "retry".
Look(c) ==
  /\ pc[c] = "failed"
  /\ LET refusal == <<"refused", effects[opOf[c]]>>
     IN \/ Answers(c, IF record[opOf[c]] = None \/ ~Keeps("second look") THEN refusal ELSE Recalled(c))
        \/ ~Keeps("what is unread is unknown") /\ Answers(c, refusal)
  /\ UNCHANGED <<table, wire, cmd, opOf, plan, again, first>>

\* What the table does: one transaction, all or nothing.
Last(r) == r.kind \notin {"close", "cut"}
\* The conditions, but for that on the operation.
Met(r) ==
  LET here == node[r.n]
      same == here # None /\ (Keeps("same node") => here.inc = r.m.inc)         \* same-nodes.ts
      free == Keeps("claim") /\ Keeps("condition, not check") => guard[r.v] = None  \* claim (nodes/guards.ts)
      ours == Keeps("release what is ours") => guard[r.m.val] = r.n             \* free (nodes/guards.ts)
  IN CASE r.kind = "nothing" -> TRUE [] Creates(r.kind) -> here = None /\ free
       [] r.kind = "change" ->                                                  \* kinds/node-commands.ts
            /\ same /\ ~here.closing /\ (Keeps("value as read") => here.val = r.m.val)
            /\ r.v = r.m.val \/ (free /\ ours)
       [] r.kind \in OfInvariants \cup {"attach"} ->                             \* touchLiving, addEdge
            /\ same /\ ~here.closing /\ r.v \notin Named(edges[r.n])
            /\ r.kind # "attach" /\ Keeps("revision of the invariants")           \* enforce.ts
               /\ (r.kind = "lift" => r.m.over \/ Keeps("revision where nothing overrides")) => here.rev = r.m.rev
       [] OTHER ->                                                              \* kinds/deletion.ts
            /\ same /\ (Keeps("revision") => here.rev = r.m.rev)
            /\ Named(r.es) \subseteq Named(edges[r.n]) /\ (r.kind = "remove" => ours)

Apply(r) ==
  LET here == node[r.n]
      bumped == [here EXCEPT !.rev = @ + 1]
      kept == {x \in edges[r.n] : x[1] \notin Named(r.es)}
  IN /\ node' = [node EXCEPT ![r.n] =
          CASE Creates(r.kind) -> [val |-> r.v, inc |-> made + 1, rev |-> 0, closing |-> FALSE, over |-> FALSE]
            [] r.kind = "change" -> [bumped EXCEPT !.val = r.v]
            [] r.kind = "flip" -> [bumped EXCEPT !.over = ~r.m.over]
            [] r.kind = "close" -> [bumped EXCEPT !.closing = TRUE]
            [] r.kind = "remove" -> None [] r.kind = "nothing" -> here [] OTHER -> bumped]
     /\ guard' = CASE Creates(r.kind) -> [guard EXCEPT ![r.v] = r.n]
                   [] r.kind = "change" /\ r.v # r.m.val -> [guard EXCEPT ![r.v] = r.n, ![r.m.val] = None]
                   [] r.kind = "remove" -> [guard EXCEPT ![r.m.val] = None]
                   [] OTHER -> guard
     /\ edges' = [edges EXCEPT ![r.n] = CASE r.kind \in {"attach", "give"} -> @ \cup {<<r.v, r.m.inc>>}
                                          [] r.kind = "found" -> Both(made + 1) [] OTHER -> kept]
     /\ made' = IF Creates(r.kind) THEN made + 1 ELSE made
     /\ begun' = IF r.kind \in {"close", "cut"} THEN begun \cup {here.inc} ELSE begun
\* What fails so is planned anew: what was read is no longer so.
Stale(r) ==
  LET here == node[r.n]
  IN CASE r.kind = "change" -> here # None /\ (here.inc # r.m.inc \/ here.val # r.m.val \/ here.closing)
       [] r.kind = "attach" -> here # None /\ here.inc # r.m.inc
       [] r.kind \in OfInvariants -> here # None
       [] OTHER -> r.kind \in {"close", "cut", "remove"}
\* To have fewer states: a request of what is on record changes nothing any more. Its copy hears so, or gives up.
Idle(r) == Without = {} /\ record[opOf[r.c]] # None /\ (pc[r.c] # "wait" \/ plan[r.c] # r)
\* An attempt arrives: its answer is heard or lost, and an earlier attempt may still be under way (stays). DynamoDB
\* recognises the attempts of one sending by their token. Where it has to recognise an operation, it forgets it.
Arrive(r, heard, stays, forgotten) ==
  LET c == r.c
      o == opOf[c]
      known == ~Keeps("record") /\ effects[o] > 0 /\ ~forgotten
      open == record[o] = None \/ (~Last(r) /\ ~Keeps("steps check the operation"))  \* asOpen (operation.ts)
      done == open /\ Met(r) /\ ~known
  IN /\ wire' = {q \in wire : (q # r \/ (stays /\ ~(done /\ Keeps("record")))) /\ ~Idle(q)}
     /\ IF ~done THEN UNCHANGED table ELSE
             /\ Apply(r)
             /\ record' = IF Last(r) /\ {"record", "record with the effect"} \cap Without = {}
                          THEN [record EXCEPT ![o] = c] ELSE record
             /\ effects' = IF Last(r) THEN [effects EXCEPT ![o] = @ + 1] ELSE effects
             /\ stray' = (stray \/ record[o] # None)
     /\ IF ~heard \/ pc[c] # "wait" \/ plan[c] # r THEN UNCHANGED <<pc, answer>>
        ELSE IF done \/ known THEN IF ~Last(r) THEN Goes(c, "plan")
             ELSE IF Keeps("record with the effect") THEN Answers(c, <<"ok", c>>) ELSE Goes(c, "record")
        ELSE IF record[o] # None THEN Answers(c, Recalled(c))  \* AlreadyDone
        ELSE Goes(c, IF Stale(r) THEN "plan" ELSE "failed")
     /\ UNCHANGED <<cmd, opOf, plan, again, first>>
RecordAfterwards(c) ==  \* only without "record with the effect": a transaction of its own
  /\ pc[c] = "record" /\ record' = [record EXCEPT ![opOf[c]] = c] /\ Answers(c, <<"ok", c>>)
  /\ UNCHANGED <<node, guard, edges, made, begun, effects, stray, wire, cmd, opOf, plan, again, first>>

Next ==
  \/ \E c \in Copies : Start(c) \/ Plan(c) \/ Refuse(c) \/ Send(c) \/ GiveUp(c) \/ Look(c) \/ RecordAfterwards(c)
  \/ \E r \in wire, stays \in BOOLEAN :
       \E heard \in (IF pc[r.c] = "wait" THEN BOOLEAN ELSE {FALSE}),
          forgotten \in (IF Keeps("record") THEN {TRUE} ELSE BOOLEAN) : Arrive(r, heard, stays, forgotten)
  \/ (\A c \in Copies : pc[c] = "done") /\ wire = {} /\ UNCHANGED vars  \* the only end: all others can go on
Spec == Init /\ [][Next]_vars
Symmetry == Permutations(Copies) \cup Permutations(Ops)
\* A bound for three operations: one may be late while the others go on.
TwoUnderWay == Cardinality(wire) <= 2

\* What must hold.
OneHolder == \A n, k \in Nodes : node[n] # None /\ node[k] # None /\ node[n].val = node[k].val => n = k
GuardsAgree ==  \* so a value that was freed can be taken: no guard is left
  /\ \A v \in Values : guard[v] # None => node[guard[v]] # None /\ node[guard[v]].val = v
  /\ \A n \in Nodes : node[n] # None => guard[node[n].val] = n
EdgesOfTheirNode == \A n \in Nodes : \A x \in edges[n] : node[n] # None /\ node[n].inc = x[2]
OneEffect == \A o \in Ops : effects[o] <= 1
OneAnswer == \A c, d \in Copies :
  opOf[c] = opOf[d] /\ answer[c][1] = "ok" /\ answer[d][1] = "ok" => answer[c] = answer[d]
RefusedIsUndone == \A c \in Copies : answer[c][1] = "refused" => answer[c][2] = 0
NothingAfterItsEnd == ~stray
\* Access is decided by what is open and has its edges: here, one that allows and none that denies.
Lets(n) == node[n] # None /\ ~node[n].closing /\ "allow" \in Named(edges[n]) /\ "deny" \notin Named(edges[n])
GoneAfterFirstStep == \A n \in Nodes : node[n] # None /\ node[n].inc \in begun => ~Lets(n) /\ node[n].closing
StepsOpenNothing == [][\A n \in Nodes : edges'[n] \subseteq edges[n] /\ Lets(n)' => Lets(n)]_vars
\* However often it was interrupted and sent again: what was there when the deletion was first sent is gone.
Gone == \A o \in Ops : record[o] # None /\ cmd[o].kind = "delete" =>
  node[cmd[o].n] = None \/ node[cmd[o].n].inc > first[o]
NeverBoth == \A n \in Nodes : node[n] # None => ~HasBoth(node[n].over, Named(edges[n]))

\* To be violated, to show that it happens: a value that was freed is another node's.
NeverTakenAgain == guard["a"] # "v"
=============================================================================
