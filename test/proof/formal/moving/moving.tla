------------------------------- MODULE moving -------------------------------
\* scope.move (provisioning/commands/scope-move.ts) beside scope.delete-tree (scope-tree.ts), and what a decision may see
\* meanwhile.
\*
\* Every scope repeats its path up to the root. A decision reads the scope and all that its path names, true at one
\* instant (formal/caching). A move that fits into one transaction reads all that is below, level by level, and writes it
\* at once. Another one closes the scope, rewrites the paths below it from the top down, and then places and opens it.
\* Copies of moves run side by side, each stops anywhere, and anybody may go on with one. Meanwhile a scope is created, and
\* trees are deleted, from the leaves up. A step is two steps here: it reads, and writes later.
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
  Movers,    \* copies of moves, each of one command
  AtOnce,    \* those of them that fit into one transaction
  Movable,   \* the scopes that moves are of
  New,       \* a scope that is created, anywhere; {} for none
  Deleted,   \* the scopes that are deleted with all that is in them; {} for none
  Without,   \* the rules that are left out: {} is the protocol
  None       \* nothing

VARIABLES
  node,      \* scope -> None, or its parent, its path, its revision and where it is being moved to
  cmd,       \* mover -> the scope that it moves, and to where
  pc, read,  \* mover -> what it does next; the nodes as it has read them
  queue,     \* mover -> what it still has to look below: each with the path that it should have
  listed,    \* mover -> what it has listed, but not read, or not written
  found,     \* mover, at once -> what it has read below: scope -> its revision and the path that it should have
  created,   \* what the creator has read: None, or the parent and its path
  closing,   \* the scopes whose deletion has begun
  leaf,      \* scope that is deleted -> what is to be deleted first, as it was read: None, or it and the parents above it
  strays     \* what was deleted with a tree that it did not stand in

reading == <<listed, found>>
deleting == <<closing, leaf, strays>>
vars == <<node, cmd, pc, read, queue, reading, created, deleting>>
Keeps(rule) == rule \notin Without
\* The tree in the beginning: each scope and its parent.
Tree == [root |-> None, p |-> "root", q |-> "root", s |-> "p", t |-> "s", u |-> "t"]
Scopes == DOMAIN Tree \cup New
There == {s \in Scopes : node[s] # None}
RECURSIVE Above(_, _)
Above(s, tree) == IF tree[s] = None THEN <<>> ELSE <<tree[s]>> \o Above(tree[s], tree)
Named(path) == {path[i] : i \in 1 .. Len(path)}
IsMoving(s) == node[s].to # None

Init ==
  /\ node = [s \in Scopes |-> IF s \in New THEN None ELSE
       [parent |-> Tree[s], path |-> Above(s, Tree), rev |-> 0, to |-> None]]
  /\ cmd \in [Movers -> {x \in Movable \X DOMAIN Tree : x[1] # x[2]}]
  /\ pc = [m \in Movers |-> "begin"] /\ read = [m \in Movers |-> None] /\ queue = [m \in Movers |-> <<>>]
  /\ listed = [m \in Movers |-> {}] /\ found = [m \in Movers |-> <<>>] /\ created = None
  /\ closing = {} /\ leaf = [d \in Deleted |-> None] /\ strays = {}

RECURSIVE Queued(_, _)
Queued(some, path) == IF some = {} THEN <<>> ELSE
  LET s == CHOOSE x \in some : TRUE IN <<[ref |-> s, path |-> path]>> \o Queued(some \ {s}, path)
Goes(m, to) == pc' = [pc EXCEPT ![m] = to]
Rewritten(n, path) == [n EXCEPT !.path = path, !.rev = @ + 1]
\* asPlaced (commands/scopes.ts): the new parent keeps the place that was read.
AsPlaced(m, s) == node[s] # None /\
  (Keeps("the parent keeps its place") => node[s].path = read[m][s].path /\ node[s].to = None)
\* The path that the moved scope gets.
Place(m) == <<cmd[m][2]>> \o read[m][cmd[m][2]].path

\* readMove: what is refused is over. Nodes are read one by one; as the conditions name each of them, one instant will do.
Read(m) ==
  /\ pc[m] = "begin"
  /\ LET s == cmd[m][1]
         t == cmd[m][2]
         refused == \/ node[s] = None \/ node[t] = None \/ s \in closing \/ t \in closing
                    \/ s \in {t} \cup Named(node[t].path)  \* "a scope cannot stand below itself"
                    \/ node[s].to \notin {None, t} /\ node[s].parent # t
                    \/ node[s].to = None /\ node[s].parent = t
         path == <<t>> \o node[t].path
         fits == m \in AtOnce /\ node[s].to = None
     IN /\ Goes(m, IF refused THEN "done" ELSE IF fits THEN "list" ELSE IF node[s].to = t THEN "rewrite" ELSE "close")
        /\ queue' = [queue EXCEPT ![m] = IF refused THEN <<>> ELSE <<[ref |-> s, path |-> path]>>]
        /\ found' = [found EXCEPT ![m] = IF ~refused /\ fits THEN s :> [rev |-> node[s].rev, path |-> path] ELSE <<>>]
  /\ read' = [read EXCEPT ![m] = node]
  /\ UNCHANGED <<node, cmd, listed, created, deleting>>

\* treeBelow: what is below is listed scope by scope, and read after it was listed.
List(m) ==
  /\ pc[m] = "list" /\ queue[m] # <<>>
  /\ listed' = [listed EXCEPT ![m] = {s \in There : node[s].parent = Head(queue[m]).ref}]
  /\ Goes(m, "see")
  /\ UNCHANGED <<node, cmd, read, queue, found, created, deleting>>
See(m) ==
  /\ pc[m] = "see"
  /\ LET above == Head(queue[m])
         path == <<above.ref>> \o above.path
         below == {s \in listed[m] \cap There : node[s].parent = above.ref}
         \* Found below two of them, or being moved itself: begun anew.
         isWell == \A s \in below : s \notin DOMAIN found[m] /\ ~IsMoving(s)
     IN IF isWell
        THEN /\ found' = [found EXCEPT ![m] = @ @@ [s \in below |-> [rev |-> node[s].rev, path |-> path]]]
             /\ queue' = [queue EXCEPT ![m] = Tail(@) \o Queued(below, path)]
             /\ Goes(m, "list")
        ELSE Goes(m, "begin") /\ UNCHANGED <<found, queue>>
  /\ listed' = [listed EXCEPT ![m] = {}]
  /\ UNCHANGED <<node, cmd, read, created, deleting>>

\* What leaves a scope changes its revision (removeOwner), and so does what comes to it (asJoined).
Joined(nodes, from, to) ==
  LET left == [nodes EXCEPT ![from].rev = @ + 1]
  IN IF Keeps("what comes to a scope changes its revision") THEN [left EXCEPT ![to].rev = @ + 1] ELSE left

\* atOnce: all of it is written, as long as it is as it was read.
WriteAll(m) ==
  /\ pc[m] = "list" /\ queue[m] = <<>>
  /\ LET s == cmd[m][1]
         t == cmd[m][2]
         all == found[m]
         same == \A x \in DOMAIN all : node[x] # None /\ node[x].rev = all[x].rev
         moved == [x \in Scopes |-> IF x \in DOMAIN all THEN Rewritten(node[x], all[x].path) ELSE node[x]]
     IN IF AsPlaced(m, t) /\ same
        THEN node' = Joined([moved EXCEPT ![s].parent = t], node[s].parent, t) /\ Goes(m, "done")
        ELSE UNCHANGED node /\ Goes(m, "begin")
  /\ found' = [found EXCEPT ![m] = <<>>]
  /\ UNCHANGED <<cmd, read, queue, listed, created, deleting>>

\* close: from here on the scope, and all below it, is closed.
Close(m) ==
  /\ pc[m] = "close"
  /\ LET s == cmd[m][1]
         was == read[m][s]
         resting == ~Keeps("all above rest") \/ was.to # None \/ \A a \in Named(was.path) : node[a] # None /\ ~IsMoving(a)
         same == node[s] # None /\ s \notin closing /\ node[s].path = was.path /\ node[s].to = was.to
     IN IF AsPlaced(m, cmd[m][2]) /\ same /\ resting
        THEN /\ node' = [node EXCEPT ![s].to = cmd[m][2], ![s].rev = @ + 1]
             /\ Goes(m, "rewrite")
        ELSE UNCHANGED node /\ Goes(m, "begin")  \* stale, or refused: begun anew
  /\ UNCHANGED <<cmd, read, queue, reading, created, deleting>>

\* goOn: lists what stands below the first of the queue, and reads it after that.
Look(m) ==
  /\ pc[m] = "rewrite" /\ read' = [read EXCEPT ![m] = [node EXCEPT ![cmd[m][2]] = read[m][cmd[m][2]]]]
  /\ IF queue[m] = <<>> THEN Goes(m, "open") /\ UNCHANGED listed
     ELSE /\ listed' = [listed EXCEPT ![m] = {s \in There : node[s].parent = Head(queue[m]).ref}]
          /\ Goes(m, "compare")
  /\ UNCHANGED <<node, cmd, queue, found, created, deleting>>
Compare(m) ==
  /\ pc[m] = "compare" /\ read' = [read EXCEPT ![m] = [node EXCEPT ![cmd[m][2]] = read[m][cmd[m][2]]]]
  /\ LET above == Head(queue[m])
         path == <<above.ref>> \o above.path
         below == {s \in listed[m] \cap There : Keeps("a child is what its node says") => node[s].parent = above.ref}
         late == {s \in below : node[s].path # path}
         refused == \E s \in late : IsMoving(s)  \* movesItself
     IN /\ listed' = [listed EXCEPT ![m] = IF refused THEN {} ELSE late]
        /\ IF late = {} THEN queue' = [queue EXCEPT ![m] = Tail(@) \o Queued(below, path)] /\ Goes(m, "rewrite")
           ELSE UNCHANGED queue /\ Goes(m, IF refused THEN "begin" ELSE "write")
  /\ UNCHANGED <<node, cmd, found, created, deleting>>

\* One scope below gets its path: more of them in one transaction are fewer states to be seen.
Write(m) ==
  /\ pc[m] = "write"
  /\ LET above == Head(queue[m])
         path == <<above.ref>> \o above.path
         was == read[m]
         held == node[above.ref] # None /\ IF above.ref = cmd[m][1] THEN node[above.ref].to = cmd[m][2] ELSE node[above.ref].path = above.path
         asBelow == ~Keeps("what is above has its path") \/ held
     IN \E s \in listed[m] :
          IF asBelow /\ node[s] # None /\ node[s].rev = was[s].rev
          THEN node' = [node EXCEPT ![s] = Rewritten(@, path)] /\ Goes(m, "rewrite")
          ELSE UNCHANGED node /\ Goes(m, "begin")
  /\ listed' = [listed EXCEPT ![m] = {}]
  /\ UNCHANGED <<cmd, read, queue, found, created, deleting>>

\* The last step: the scope is in its new place, and open.
Open(m) ==
  /\ pc[m] = "open"
  /\ LET s == cmd[m][1]
         t == cmd[m][2]
     IN IF AsPlaced(m, t) /\ node[s] # None /\ s \notin closing /\ node[s].rev = read[m][s].rev /\ node[s].to = t
        THEN /\ node' = Joined([node EXCEPT ![s] = [Rewritten(@, Place(m)) EXCEPT !.parent = t, !.to = None]],
                             node[s].parent, t)
             /\ Goes(m, "done")
        ELSE UNCHANGED node /\ Goes(m, "begin")
  /\ UNCHANGED <<cmd, read, queue, reading, created, deleting>>

\* project.create and its like: the parent is read, and keeps its place until the child is there.
ReadParent ==
  /\ New # {} /\ created = None
  /\ \E s \in There \ New : ~IsMoving(s) /\ created' = [parent |-> s, path |-> node[s].path]
  /\ UNCHANGED <<node, cmd, pc, read, queue, reading, deleting>>
Create ==
  /\ created # None /\ \E n \in New :
       /\ node[n] = None
       /\ Keeps("the parent of what is created keeps its place") =>
            node[created.parent].path = created.path /\ node[created.parent].to = None
       /\ node' = [node EXCEPT ![created.parent].rev = @ + 1,
                               ![n] = [parent |-> created.parent, path |-> <<created.parent>> \o created.path,
                                       rev |-> 0, to |-> None]]
  /\ UNCHANGED <<cmd, pc, read, queue, reading, created, deleting>>

\* What a scope owns: what stands in it and, of what it names in its path, copies (a building's of what is in its zones).
Owns(s) == {x \in There : s \in Named(node[x].path) \cup {node[x].parent}}
Stands(s) == Above(s, [x \in There |-> node[x].parent])
IsIn(x, d) == x = d \/ d \in Named(IF Keeps("in a tree is what its parents say") THEN Stands(x) ELSE node[x].path)
\* leafOf: something without dependents, down from the scope that is deleted, and still in its tree.
Leaves(d) == {x \in There : Owns(x) = {} /\ IsIn(x, d)}

\* The first step closes the scope and all below it.
CloseTree(d) ==
  /\ d \in There \ closing
  /\ closing' = closing \cup {d} /\ node' = [node EXCEPT ![d].rev = @ + 1]
  /\ UNCHANGED <<cmd, pc, read, queue, reading, created, leaf, strays>>
ReadLeaf(d) ==
  /\ d \in closing /\ leaf[d] = None
  /\ \E x \in Leaves(d) :
       LET between == {y \in Named(Stands(x)) : d \in Named(Stands(y))}
       IN leaf' = [leaf EXCEPT ![d] = [ref |-> x, rev |-> node[x].rev, parents |-> [y \in between |-> node[y].parent]]]
  /\ UNCHANGED <<node, cmd, pc, read, queue, reading, created, closing, strays>>
\* A leaf goes, as long as it is as it was read, and stands where it stood.
DeleteLeaf(d) ==
  /\ leaf[d] # None
  /\ LET x == leaf[d].ref
         parents == leaf[d].parents
         isThere == \A y \in DOMAIN parents : node[y] # None /\ node[y].parent = parents[y]
         asInTree == Keeps("a leaf is in the tree until it is deleted") => isThere
     IN IF node[x] # None /\ node[x].rev = leaf[d].rev /\ asInTree
        THEN /\ node' = [node EXCEPT ![node[x].parent].rev = @ + 1, ![x] = None]
             /\ closing' = closing \ {x}
             /\ strays' = strays \cup IF d \in {x} \cup Named(Stands(x)) THEN {} ELSE {x}
        ELSE UNCHANGED <<node, closing, strays>>
  /\ leaf' = [leaf EXCEPT ![d] = None]
  /\ UNCHANGED <<cmd, pc, read, queue, reading, created>>

Next ==
  \/ ReadParent
  \/ Create
  \/ \E d \in Deleted : CloseTree(d) \/ ReadLeaf(d) \/ DeleteLeaf(d)
  \/ \E m \in Movers :
       Read(m) \/ List(m) \/ See(m) \/ WriteAll(m) \/ Close(m) \/ Look(m) \/ Compare(m) \/ Write(m) \/ Open(m)
Spec == Init /\ [][Next]_vars
Symmetry == Permutations(Movers)

\* What must hold. A decision may allow only where all on the path that it sees is open.
Closed(s) == node[s] = None \/ s \in closing \/ (Keeps("first step closes") /\ IsMoving(s))
Seen(s) == node[s].path
Decides(s) == ~Closed(s) /\ \A a \in Named(Seen(s)) : ~Closed(a)
\* Nobody stands below himself.
NoCircle == \A s \in There : s \notin Named(node[s].path)
\* Whatever decides sees the scopes above it as they are: no part of an old path, and none of a new one.
WholePaths == \A s \in There : Decides(s) => Seen(s) = Stands(s)
\* Where no move is under way all paths are right, so all is open again.
WholeInTheEnd == (\A s \in There : ~IsMoving(s)) => \A s \in There : node[s].path = Stands(s)
\* With a tree nothing is deleted that stands elsewhere.
OnlyItsTree == strays = {}
\* While a deletion has begun and not ended, something can be done: a leaf can go, or a move be finished or taken back.
CanGoOn == closing # {} =>
  \/ \E d \in closing : Leaves(d) # {}
  \/ \E s \in There : IsMoving(s) /\ {node[s].to, node[s].parent} \cap (There \ closing) # {}
=============================================================================
