import { createRandom } from '../../../proof/oracle/random.ts';
import { createMemoryWorld } from '../../../support/world.ts';
import { decisionLine, heartbeatLine } from '../lines.ts';
import { DAY_MS, type LogWorld } from './support.ts';

/**
 * A random history of a table with a log of it, written by an oracle that knows at each decision which edge and which
 * ALLOW explain it. It knows a tree, roles and edges as plain lists, and nothing of how the product keeps them.
 */
export const PERMISSIONS = ['a', 'b', 'm:read:doc', 'm:edit:doc', 'n:read:doc'] as const;
export const SCOPES = ['client:north', 'project:one', 'building:house', 'client:south'] as const;
const USERS = ['u0', 'u1', 'u2', 'u3', 'u4'];
const PATHS: Readonly<Record<string, readonly string[]>> = {
  'client:north': ['client:north'],
  'project:one': ['project:one', 'client:north'],
  'building:house': ['building:house', 'project:one', 'client:north'],
  'client:south': ['client:south'],
};
const PARENT: Readonly<Record<string, string>> = { r2: 'r0' };
const [G0, G1, ALL, G2] = SCOPES;
const GROUPS: Readonly<Record<string, string>> = { g0: G0, g1: G1, g2: G2, all: ALL };
const PERIOD_DAYS = 30;

const MANIFEST = `
pages: [a, b]
modules: { m: {}, n: {} }
permissions: { 'm:read:doc': {}, 'm:edit:doc': {}, 'n:read:doc': {} }
scopes:
  north: { type: client, id: north, combination: COMBINATION }
  one: { type: project, id: one, parent: north }
  house: { type: building, id: house, parent: one }
  south: { type: client, id: south }
roles:
  r0: { id: r0, allow: [] }
  r1: { id: r1, allow: [] }
  r2: { id: r2, parent: r0, allow: [] }
  r3: { id: r3, allow: [] }
groups:
  g0: { id: g0, scope: north }
  g1: { id: g1, scope: one }
  g2: { id: g2, scope: south }
  all: { id: all, scope: house, everyone: true }
users:
${USERS.map((id) => `  ${id}: { id: ${id}, tenant: north }`).join('\n')}
`;

/** What stands in the table, by its name, with the instant since when. */
type Since = Map<string, number>;

export interface History {
  readonly world: LogWorld;
  readonly lines: readonly string[];
  /** Edges of people (`membership u0 g0`) and ALLOWs (`r0 a`) that a line which is there used. */
  readonly used: ReadonlySet<string>;
  readonly edges: Since;
  readonly allows: Since;
  readonly activeSince: Since;
  /** Whether the edge has any ALLOW behind it now. */
  readonly givesAnything: (edge: string) => boolean;
  readonly from: number;
  readonly decisions: number;
  readonly lost: number;
  readonly unended: number;
}

const covers = (name: string, permission: string): boolean => {
  if (name === permission) return true;
  const [wanted, asked] = [name.split(':'), permission.split(':')];
  return (
    wanted.length === 3 &&
    asked.length === 3 &&
    wanted.every((part, at) => part === '*' || part === asked[at])
  );
};

/** @param isQuiet whether nothing changes in the period, so that nothing is in doubt */
export async function createHistory(seed: number, isQuiet: boolean): Promise<History> {
  const { next, pick } = createRandom(seed);
  const chance = (share: number): boolean => next() < share;
  const world = createMemoryWorld();
  await world.apply(MANIFEST.replace('COMBINATION', chance(0.5) ? 'deny-overrides' : 'allow-overrides'));
  const { clock, run } = world;
  const [edges, allows]: [Since, Since] = [new Map(), new Map()];
  const [carried, denies, activeSince]: [Since, Since, Since] = [new Map(), new Map(), new Map()];
  for (const user of USERS) activeSince.set(user, clock.now());
  const engine = world.newEngine();
  const NAMES = [...PERMISSIONS, 'm:*:doc', 'm:*:*'];

  /** Makes or ends something, in the table and in the lists. */
  async function change(): Promise<void> {
    const toggle = async (list: Since, name: string, kind: string, input: object, more = {}) => {
      const has = list.has(name);
      await run(`${kind}.${has ? 'delete' : 'create'}`, has ? { ...input } : { ...input, ...more });
      if (has) list.delete(name);
      else list.set(name, clock.now());
    };
    const what = next();
    if (what < 0.3) {
      const [user, group] = [pick(USERS), pick(['g0', 'g1', 'g2'])];
      await toggle(edges, `membership ${user} ${group}`, 'membership', { user, group });
    } else if (what < 0.5) {
      const [user, scope, role] = [pick(USERS), pick(SCOPES), pick(['r0', 'r1', 'r2', 'r3'])];
      await toggle(edges, `assignment ${user} ${scope} ${role}`, 'assignment', { user, scope, role });
    } else if (what < 0.7) {
      const [role, permission] = [pick(['r0', 'r1', 'r2']), pick(NAMES)];
      const allow = { effect: 'ALLOW' };
      await toggle(allows, `${role} ${permission}`, 'role-permission', { role, permission }, allow);
    } else if (what < 0.75) {
      const permission = pick(PERMISSIONS);
      await toggle(denies, permission, 'role-permission', { role: 'r3', permission }, { effect: 'DENY' });
    } else if (what < 0.92) {
      const [group, role] = [pick(Object.keys(GROUPS)), pick(['r0', 'r1', 'r2', 'r3'])];
      await toggle(carried, `${group} ${role}`, 'group-role', { group, role });
    } else {
      const user = pick(USERS);
      const isActive = activeSince.has(user);
      await run('user.update', { id: user, status: isActive ? 'inactive' : 'active' });
      if (isActive) activeSince.delete(user);
      else activeSince.set(user, clock.now());
    }
  }

  const rolesOf = (edge: string): readonly (readonly [role: string, scope: string])[] => {
    const [kind, , where = '', role = ''] = edge.split(' ');
    if (kind === 'assignment') return [[role, where]];
    return [...carried.keys()].flatMap((each) => {
      const [group, role = ''] = each.split(' ');
      return group === where ? [[role, String(GROUPS[where])] as const] : [];
    });
  };
  const allowsBehind = (role: string): readonly string[] =>
    [...allows.keys()].filter((each) => [role, PARENT[role]].includes(each.split(' ')[0]));
  /** Everything that would allow it, as an edge and an ALLOW; of what everybody has, the ALLOW alone. */
  const explanations = (user: string, permission: string, scope: string): readonly string[] => {
    const found: string[] = [];
    for (const edge of [...edges.keys(), `everyone ${user} all`]) {
      if (edge.split(' ')[1] !== user) continue;
      for (const [role, at] of rolesOf(edge))
        for (const allow of PATHS[scope]?.includes(at) ? allowsBehind(role) : [])
          if (covers(String(allow.split(' ')[1]), permission)) found.push(edge, allow);
    }
    return found;
  };

  const [share, loss] = [pick([1, 0.5]), pick([0, 0.1])];
  const lines: string[] = [];
  const used = new Set<string>();
  let [decisions, lost, unended, processes, counted] = [0, 0, 0, 0, 0];
  /** Of the process that runs: numbers of lines that are there, and whether its last one is an end. */
  let numbers: number[] = [];
  let [sequence, isEnd] = [0, false];
  const instant = () => new Date(clock.now()).toISOString();
  const ending = (process: string, made: number) =>
    heartbeatLine({ process, sequence, timestamp: instant(), ended: true, rate: share, decisions: made });
  function write(text: string, ends = false): boolean {
    if (chance(loss)) return false;
    lines.push(text);
    if (chance(0.05)) lines.push(text);
    numbers.push(sequence);
    isEnd = ends;
    return true;
  }
  function restart(isKilled: boolean): void {
    if (!isKilled) {
      sequence += 1;
      write(ending(`P${processes}`, counted), true);
    }
    if (numbers.length > 0) {
      lost += Math.max(...numbers) - numbers.length;
      unended += Number(!isEnd);
    }
    [numbers, sequence, isEnd, counted] = [[], 0, false, 0];
    processes += 1;
  }
  async function decide(): Promise<void> {
    const [subject, permission, scope] = [pick(USERS), pick(PERMISSIONS), pick(SCOPES)];
    const { allowed, reason } = await engine.check(`user:${subject}`, permission, scope);
    const by = explanations(subject, permission, scope);
    if (allowed && by.length === 0) throw new Error(`nothing explains ${subject} ${permission} ${scope}`);
    counted += 1;
    if (allowed && !chance(share)) return;
    sequence += 1;
    const [type, id] = scope.split(':');
    const isThere = write(
      decisionLine({
        process: `P${processes}`,
        sequence,
        timestamp: instant(),
        rate: allowed ? share : 1,
        subject: { type: 'user', id: subject },
        action: { name: permission },
        resource: { type, id },
        decision: allowed,
        context: { reason, api: 'default' },
      }),
    );
    if (!isThere) return;
    decisions += 1;
    if (allowed) for (const each of by) used.add(each);
  }

  for (let step = 0; step < 45; step++) {
    clock.advance(DAY_MS / 4);
    await change();
  }
  clock.advance(DAY_MS);
  const from = clock.now();
  clock.advance(1);
  for (let step = 0; step < 30; step++) {
    clock.advance((PERIOD_DAYS * DAY_MS) / 32);
    if (!isQuiet && chance(0.2)) await change();
    clock.advance(120_000);
    await decide();
    if (chance(0.15)) restart(chance(0.3));
  }
  restart(false);
  // The log goes on: who wrote before and not to its end, was killed.
  clock.advance(3 * 60_000);
  sequence = 1;
  lines.push(ending('last', 0));
  clock.advance(60_000);
  return {
    world,
    lines,
    used,
    edges,
    allows,
    activeSince,
    from,
    decisions,
    lost,
    unended,
    givesAnything: (edge) => rolesOf(edge).some(([role]) => allowsBehind(role).length > 0),
  };
}
