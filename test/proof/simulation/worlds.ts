import { createProvisioning } from '../../../provisioning/index.ts';
import type { Item } from '../../../table/item.ts';
import { createMemoryTable } from '../../../table/memory/index.ts';
import { SECRET } from '../oracle/acting.ts';
import { furnishSmall, type Names, START } from '../oracle/generate.ts';
import { emptyModel, type Model } from '../oracle/model.ts';
import type { Operation } from '../oracle/operations.ts';
import * as does from '../oracle/operations.ts';
import type { Random } from '../oracle/random.ts';

/** What histories begin with: a table that was furnished through provisioning, and the model of it. */
export interface World {
  readonly items: readonly Item[];
  readonly model: Model;
}

/** The names of a small world, with what requests need. */
export interface SmallNames extends Names {
  readonly users: readonly string[];
  readonly emails: readonly string[];
  /** Ids of login sessions, by the user whose they are. */
  readonly sessions: readonly (readonly [id: string, user: string])[];
  /** JWTs: of which session, with which groups. Some are of one user, and differ in their groups alone. */
  readonly jwts: readonly (readonly [session: number, groups: readonly string[] | undefined])[];
  /** Ids of API tokens, by their subject. */
  readonly tokens: readonly (readonly [id: string, subject: string])[];
  readonly routes: readonly Route[];
}

/** A route, and the places that requests for it name. */
export interface Route {
  readonly id: string;
  readonly path: string;
  readonly permission: string;
  readonly scope: string;
}

export interface SmallWorld {
  readonly names: SmallNames;
  readonly operations: readonly Operation[];
}

/** More scopes than one transaction can move. */
const TREE_SIZE = 26;

/**
 * A world of the oracle that is small enough for much to happen to the same few things, with emails, credentials and
 * routes; if wanted, with a tree that takes several transactions to move.
 */
export function drawSmallWorld(random: Random, of: { conditions: boolean; tree: boolean }): SmallWorld {
  const { names: small, operations } = furnishSmall(random, of.conditions);
  const users = small.subjects.filter((ref) => ref.startsWith('user:'));
  const [robot = ''] = small.subjects.filter((ref) => ref.startsWith('technical-user:'));
  const [first = '', second = ''] = users;
  const tree = of.tree ? growTree(small.places.length) : [];
  const names: SmallNames = {
    ...small,
    places: [...small.places, ...tree],
    users,
    emails: ['ann@example.org', 'bob@example.org', 'eve@example.org'],
    sessions: [
      ['login-0', first],
      ['login-1', second],
    ],
    jwts: [
      [0, undefined],
      [0, ['staff']],
      [0, ['guests', 'unknown']],
      [1, undefined],
      [1, ['staff', 'guests']],
    ],
    tokens: [
      ['key-0', second],
      ['key-1', robot],
    ],
    routes: [
      { id: 'pages', path: '/tenants/{id}/pages/{page}', permission: '{page}', scope: 'tenant:{id}' },
      { id: 'places', path: '/locations/{id}', permission: 'dashboard', scope: 'location:{id}' },
      { id: 'doors', path: '/accounts/{id}/doors', permission: 'alarms:read:door', scope: 'account:{id}' },
    ],
  };
  return {
    names,
    operations: [
      ...(random.oneIn(3) ? operations : withoutPatterns(operations)),
      ...tree.map(({ ref, parent }) => does.createScope(ref, { parent })),
      does.setEmail(first, 'ann@example.org'),
      does.setEmail(second, 'bob@example.org'),
      ...names.sessions.map(([id, user]) => does.createSession(id, user)),
      ...names.tokens.map(([id, subject]) => does.createApiToken(id, subject)),
      ...names.routes.map(({ id, path, permission, scope }) => does.createRoute(id, path, permission, scope)),
    ],
  };
}

/** Roles with patterns let nobody have a policy for the whole API: here they have permissions instead. */
function withoutPatterns(operations: readonly Operation[]): readonly Operation[] {
  const having = new Set(
    operations.flatMap(({ input }) => (input.effect ? `${input.role} ${input.permission}` : [])),
  );
  return operations.map((operation) => {
    const { role, permission, effect, when } = operation.input as Readonly<
      Record<string, string | undefined>
    >;
    if (!effect || !role || !permission?.includes('*')) return operation;
    const name = ['dashboard', 'alarms:read:door'].find((each) => !having.has(`${role} ${each}`));
    return does.addEffect(role, String(name), effect, when);
  });
}

/** A client with two projects, and in the first a building with many devices. */
function growTree(number: number) {
  const ref = (type: string, n: number) =>
    `${type}:01J8Z0E2Z8D2A3J7A7Y2H9P${String(number + n).padStart(3, '0')}`;
  const root = ref('client', 0);
  const [project, other, building] = [ref('project', 1), ref('project', 2), ref('building', 3)];
  const [zone, inner] = [ref('zone', 4), ref('zone', 5)];
  const below = (type: string, n: number, parent: string) => ({ ref: ref(type, n), parent, root });
  return [
    { ref: root, parent: undefined, root },
    ...[below('project', 1, root), below('project', 2, root), below('building', 3, project)],
    ...[below('zone', 4, building), below('zone', 5, zone), below('building', 6, other)],
    ...Array.from({ length: TREE_SIZE }, (_, n) =>
      below('device', 7 + n, n % 3 === 0 ? building : n % 3 === 1 ? zone : inner),
    ),
  ];
}

/** A table on which these operations were carried out, a while ago, and the model of it. */
export async function furnish(operations: readonly Operation[]): Promise<World> {
  const { reader, writer, items } = createMemoryTable();
  const ids = createIds('F');
  const provision = createProvisioning({
    reader,
    writer,
    newId: ids,
    clock: { now: () => START },
    newSecret: () => SECRET,
  });
  const model = emptyModel();
  for (const { command, input, apply } of operations) {
    const answer = await provision({ command, input });
    // Chance draws conditions that are refused for their types.
    if (!answer.ok && answer.error.field === 'when') continue;
    if (!answer.ok) throw new Error(`${command}: ${answer.error.message}`);
    apply(model);
  }
  return { items: items(), model };
}

/** Fresh ids, one after the other; each source has a letter of its own. */
export function createIds(letter: string): () => string {
  let ids = 0;
  return () => `01J8Z0E2Z8D2A3J7A7Y${letter}${String(++ids).padStart(6, '0')}`;
}
