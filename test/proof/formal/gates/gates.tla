------------------------------- MODULE gates -------------------------------
\* Gates of a tenant (provisioning/nodes/gates.ts): creations that rest on a tenant and on one of its connections ask for a
\* gate, which says what both are, in place of the two nodes.
\*
\* Creations read the nodes, then their gate, and send one transaction, which arrives late or never. Meanwhile the connection
\* is changed, deleted where nothing rests on it, and made again; the tenant is closed for its deletion. Each may stop
\* anywhere: no step has to happen. A child may leave.
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Creators,  \* each makes one child
  Gates,     \* of the tenant; which one a creator asks for is open
  Deleters,  \* of the connection
  Changes,   \* how often the connection is changed or made again, at most
  Without,   \* the rules that are left out: {} is the protocol
  None       \* nothing

VARIABLES
  tenant,      \* whether its deletion has begun, and its revision
  connection,  \* None, or which one it is, and its revision
  gate,        \* gate -> None, or which connection it speaks of, and its revision
  children,    \* creator -> None, or the connection that its child rests on
  wire,        \* transactions under way
  pc, read,    \* of each creator and deleter: what it does next; what it has read
  made,        \* how many connections there were
  stray        \* whether a child came while what it rests on was not so

vars == <<tenant, connection, gate, children, wire, pc, read, made, stray>>
Keeps(rule) == rule \notin Without
Callers == Creators \cup Deleters
NoGates == [g \in Gates |-> None]
Closed == IF Keeps("whatever makes it untrue deletes all gates") THEN NoGates ELSE gate

Init ==
  /\ tenant = [closing |-> FALSE, rev |-> 0] /\ connection = [is |-> 1, rev |-> 0] /\ gate = NoGates
  /\ children = [c \in Creators |-> None] /\ wire = {} /\ made = 1 /\ stray = FALSE
  /\ pc = [c \in Callers |-> "nodes"] /\ read = [c \in Callers |-> None]

Goes(c, to, what) == pc' = [pc EXCEPT ![c] = to] /\ read' = [read EXCEPT ![c] = what]
Table == <<tenant, connection, gate, children, made, stray>>

\* A creation: reads the nodes, and later the gate. What it reads of nodes that go it refuses.
ReadNodes(c) ==
  /\ pc[c] = "nodes" /\ ~tenant.closing /\ connection # None
  /\ Goes(c, "gate", connection) /\ UNCHANGED <<Table, wire>>
ReadGate(c) ==
  /\ pc[c] = "gate"
  /\ \E g \in Gates :
       LET says == gate[g] # None /\ (Keeps("a gate says which") => gate[g].is = read[c].is)
       IN wire' = wire \cup {[kind |-> IF says THEN "pass" ELSE "note", c |-> c, g |-> g, is |-> read[c].is]}
  /\ Goes(c, "sent", None) /\ UNCHANGED Table

\* A child comes. It is a stray where what it rests on is not so.
Comes(r) ==
  /\ children' = [children EXCEPT ![r.c] = r.is]
  /\ stray' = (stray \/ tenant.closing \/ connection = None \/ connection.is # r.is)
Pass(r) ==
  /\ r.kind = "pass"
  /\ gate[r.g] # None /\ (Keeps("a gate says which") => gate[r.g].is = r.is)
  /\ Comes(r) /\ gate' = [gate EXCEPT ![r.g].rev = @ + 1]
  /\ UNCHANGED <<tenant, connection, made>>
\* The nodes themselves, which the transaction touches; and the gate that says so from now on.
Note(r) ==
  /\ r.kind = "note"
  /\ Keeps("who notes asks the nodes") => ~tenant.closing /\ connection # None /\ connection.is = r.is
  /\ Comes(r)
  /\ gate' = [gate EXCEPT ![r.g] = [is |-> r.is, rev |-> IF @ = None THEN 1 ELSE @.rev + 1]]
  /\ connection' = IF connection # None /\ Keeps("who notes touches the nodes")
                   THEN [connection EXCEPT !.rev = @ + 1] ELSE connection
  /\ UNCHANGED <<tenant, made>>

\* The deletion of the connection: its revision, then those of the gates, one after the other, then what rests on it.
Look(d) ==
  /\ pc[d] = "nodes" /\ connection # None
  /\ Goes(d, IF Keeps("gates are read before children") THEN "gates" ELSE "children",
          [of |-> connection, revs |-> [g \in Gates |-> None], left |-> Gates])
  /\ UNCHANGED <<Table, wire>>
LookAtGate(d) ==
  /\ pc[d] = "gates" /\ read[d].left # {}
  /\ LET g == CHOOSE x \in read[d].left : TRUE
         rev == IF gate[g] = None THEN None ELSE gate[g].rev
     IN Goes(d, "gates", [read[d] EXCEPT !.revs[g] = rev, !.left = @ \ {g}])
  /\ UNCHANGED <<Table, wire>>
\* It is refused while anything rests on it.
List(d) ==
  /\ IF Keeps("gates are read before children") THEN pc[d] = "gates" /\ read[d].left = {} ELSE pc[d] = "children"
  /\ \A c \in Creators : children[c] = None \/ children[c] # read[d].of.is
  /\ Goes(d, IF pc[d] = "children" THEN "gates" ELSE "send", read[d]) /\ UNCHANGED <<Table, wire>>
SendDeletion(d) ==
  /\ IF Keeps("gates are read before children") THEN pc[d] = "send" ELSE pc[d] = "gates" /\ read[d].left = {}
  /\ wire' = wire \cup {[kind |-> "delete", d |-> d, of |-> read[d].of, revs |-> read[d].revs]}
  /\ Goes(d, "sent", None) /\ UNCHANGED Table
Delete(r) ==
  /\ r.kind = "delete" /\ connection = r.of
  /\ Keeps("revision of the gates") =>
       \A g \in Gates : r.revs[g] = None \/ (gate[g] # None /\ gate[g].rev = r.revs[g])
  /\ connection' = None /\ gate' = Closed
  /\ UNCHANGED <<tenant, children, made, stray>>

Arrive(r) == (Pass(r) \/ Note(r) \/ Delete(r)) /\ wire' = wire \ {r} /\ UNCHANGED <<pc, read>>

\* What creations rest on becomes another: its issuer, or another connection of the same id.
Change ==
  /\ made <= Changes /\ made' = made + 1
  /\ connection' = [is |-> made + 1, rev |-> IF connection = None THEN 0 ELSE connection.rev + 1]
  /\ children' = [c \in Creators |-> IF connection # None /\ children[c] = connection.is THEN made + 1 ELSE children[c]]
  /\ gate' = IF connection = None THEN gate ELSE Closed
  /\ UNCHANGED <<tenant, wire, pc, read, stray>>
Leave(c) ==
  /\ children[c] # None /\ children' = [children EXCEPT ![c] = None]
  /\ UNCHANGED <<tenant, connection, gate, wire, pc, read, made, stray>>
Close ==
  /\ ~tenant.closing /\ tenant' = [tenant EXCEPT !.closing = TRUE] /\ gate' = Closed
  /\ UNCHANGED <<connection, children, wire, pc, read, made, stray>>

Next ==
  \/ \E c \in Creators : ReadNodes(c) \/ ReadGate(c) \/ Leave(c)
  \/ \E d \in Deleters : Look(d) \/ LookAtGate(d) \/ List(d) \/ SendDeletion(d)
  \/ \E r \in wire : Arrive(r)
  \/ Change \/ Close

Spec == Init /\ [][Next]_vars

\* Every child came while the tenant and the connection were there, as they had been read, and not on their way out.
OnlyWhileSo == ~stray
\* No connection goes with anything that rests on it.
NothingOrphaned == \A c \in Creators : children[c] # None => connection # None /\ connection.is = children[c]

Symmetry == Permutations(Creators) \cup Permutations(Gates)
=============================================================================
