import type { TokenGroups } from '../../../engine/index.ts';
import type { Invariant } from '../../../table/invariant.ts';
import { type Model, NOW, PERMISSIONS, type Reading, ROOT, SCOPES } from './random-worlds.ts';

/** Every subject, permission, scope, instant and token, one by one, by SPEC section 2 over a model of the table. */

const YEAR = 400 * 86_400_000;

/** Every instant at which something begins or ends, and one between each two. */
export function instantsOf({ users }: Model): readonly number[] {
  const named = Object.values(users)
    .flatMap(({ until, assignments }) => [until, ...assignments.flatMap((each) => [each.from, each.until])])
    .flatMap((day) => (day === undefined ? [] : [Date.parse(day)]))
    .filter((each) => each > NOW);
  const all = [...new Set([NOW, ...named, NOW + YEAR])].sort((a, b) => a - b);
  return all.flatMap((each, position) => {
    const next = all[position + 1];
    return next === undefined ? [each] : [each, Math.floor((each + next) / 2)];
  });
}

/** No token, and every one that names groups of one issuer. */
export function tokensOf({ external }: Model): readonly (TokenGroups | undefined)[] {
  const issuers = [...new Set(external.map(({ issuer }) => issuer))];
  const tokens = issuers.flatMap((issuer) => {
    const ids = external.filter((each) => each.issuer === issuer).map(({ externalId }) => externalId);
    return Array.from({ length: 2 ** ids.length - 1 }, (_, n) => ({
      issuer,
      ids: ids.filter((_id, bit) => ((n + 1) >> bit) % 2 === 1),
      until: 8.64e15,
    }));
  });
  return [undefined, ...tokens];
}

/** Who asks, and when; how conditions count, and whether suspended memberships do. */
export interface Asking extends Pick<Reading, 'conditions' | 'withSuspended'> {
  readonly user: string;
  readonly at: number;
  readonly token: TokenGroups | undefined;
}

const pathOf = (scope: string): readonly string[] =>
  scope === ROOT ? [ROOT] : scope === 'wing:east' ? [scope, 'location:north', ROOT] : [scope, ROOT];

function isIn(model: Model, id: string, { user, withSuspended, token }: Asking): boolean {
  const { groups = [], suspended = [] } = model.users[user] ?? {};
  const isNamed = ({ issuer, externalId, group }: Model['external'][number]) =>
    group === id && issuer === token?.issuer && token.ids.includes(externalId);
  return (
    model.groups[id]?.isEveryone === true ||
    (groups.includes(id) && (withSuspended || !suspended.includes(id))) ||
    model.external.some(isNamed)
  );
}

function rolesAt(model: Model, scope: string, asking: Asking): readonly string[] {
  const path = pathOf(scope);
  const person = model.users[asking.user];
  const isNow = ({ from, until }: { from?: string; until?: string }) =>
    (from === undefined || Date.parse(from) <= asking.at) &&
    (until === undefined || asking.at < Date.parse(until));
  const granted = [
    ...Object.entries(model.groups).flatMap(([id, group]) =>
      path.includes(group.scope) && isIn(model, id, asking) ? group.roles : [],
    ),
    ...(person?.assignments ?? []).flatMap((each) =>
      path.includes(each.scope) && isNow(each) ? [each.role] : [],
    ),
    ...(person?.grants ?? []),
    ...(person?.globalRoles ?? []),
  ];
  const line = (id: string | undefined): readonly string[] =>
    id === undefined ? [] : [id, ...line(model.roles[id]?.parent)];
  return [...new Set(granted.flatMap(line))];
}

function isCovered(permission: string, by: string): boolean {
  const [parts, said] = [permission.split(':'), by.split(':')];
  if (by === '*:*:*') return true;
  return parts.length === said.length && said.every((part, n) => part === '*' || part === parts[n]);
}

function isAllowed(model: Model, permission: string, ids: readonly string[], asking: Asking): boolean {
  const person = model.users[asking.user];
  if (person?.until !== undefined && Date.parse(person.until) <= asking.at) return false;
  const roles = ids.flatMap((id) => model.roles[id] ?? []);
  const says = (effect: 'allow' | 'deny') =>
    roles.some((role) =>
      role[effect].some(
        ({ permission: by, when }) =>
          isCovered(permission, by) &&
          (when === undefined || asking.conditions === (effect === 'allow' ? 'for' : 'against')),
      ),
    );
  return says('allow') && !(model.isDenyOverriding && says('deny'));
}

function isBroken(
  model: Model,
  { separate, within, never, except }: Invariant,
  allowed: ReadonlySet<string>,
  asking: Asking,
): boolean {
  const isGrantedAt = (said: string, scope: string) =>
    PERMISSIONS.some((each) => isCovered(each, said) && allowed.has(`${each} ${scope}`));
  const isExcepted = (scope: string) =>
    except !== undefined &&
    pathOf(scope).includes(model.groups[except.group]?.scope ?? '') &&
    isIn(model, except.group, asking);
  if (separate === undefined)
    return SCOPES.some((scope) => isGrantedAt(never ?? '', scope) && !isExcepted(scope));
  const places = within === 'scope' ? SCOPES.map((scope) => [scope]) : [SCOPES];
  return places.some(
    (scopes) =>
      separate.filter((permission) => scopes.some((scope) => isGrantedAt(permission, scope))).length >= 2,
  );
}

/** Who may break which invariant, and who surely does, by `invariant user`: the first instant. */
export function bruteForce(model: Model) {
  const [may, certain] = [new Map<string, number>(), new Map<string, number>()];
  const note = (asking: Asking, to: Map<string, number>): void => {
    const allowed = allowedTo(model, asking);
    for (const invariant of model.invariants) {
      const name = `${invariant.id} ${asking.user}`;
      if (!to.has(name) && isBroken(model, invariant, allowed, asking)) to.set(name, asking.at);
    }
  };
  for (const at of instantsOf(model))
    for (const user of [...Object.keys(model.users), 'newcomer'])
      for (const withSuspended of (model.users[user]?.suspended.length ?? 0) > 0 ? [false, true] : [true]) {
        if (model.users[user]?.isAdmin) continue;
        for (const token of tokensOf(model)) note({ user, at, token, withSuspended, conditions: 'for' }, may);
        note({ user, at, token: undefined, withSuspended, conditions: 'against' }, certain);
      }
  return { may, certain };
}

/**
 * Whether a change gives somebody, at some instant, two of the permissions of a `separate` that they had not both: without
 * a token, or with one that names every group of an issuer.
 */
export function isBrokenAnew(before: Model, after: Model): boolean {
  const instants = [...new Set([...instantsOf(before), ...instantsOf(after)])];
  const separate = after.invariants.filter((each) => each.separate);
  return [...Object.keys(after.users), 'newcomer'].some((user) => {
    if (after.users[user]?.isAdmin) return false;
    const tokens = tokensOf(after).filter(
      (token) =>
        !token || after.external.filter(({ issuer }) => issuer === token.issuer).length === token.ids.length,
    );
    return tokens.some((token) =>
      instants.some((at) => {
        const asking: Asking = { user, at, token, withSuspended: true, conditions: 'for' };
        const [was, is] = [allowedTo(before, asking), allowedTo(after, asking)];
        return separate.some(({ separate: said = [], within }) =>
          (within === 'scope' ? SCOPES.map((scope) => [scope]) : [SCOPES]).some((scopes) => {
            const among = (allowed: ReadonlySet<string>) =>
              PERMISSIONS.filter(
                (each) =>
                  said.some((by) => isCovered(each, by)) &&
                  scopes.some((scope) => allowed.has(`${each} ${scope}`)),
              );
            const [had, has] = [among(was), among(is)];
            return has.length >= 2 && has.some((permission) => !had.includes(permission));
          }),
        );
      }),
    );
  });
}

/** What somebody is allowed, as `permission scope`. */
const allowedTo = (model: Model, asking: Asking): ReadonlySet<string> =>
  new Set(
    SCOPES.flatMap((scope) => {
      const roles = rolesAt(model, scope, asking);
      return PERMISSIONS.filter((permission) => isAllowed(model, permission, roles, asking)).map(
        (permission) => `${permission} ${scope}`,
      );
    }),
  );

/** What is allowed, as `user permission scope`. */
export const allowedIn = (model: Model, asking: Omit<Asking, 'user'>): ReadonlySet<string> =>
  new Set(
    [...Object.keys(model.users), 'newcomer'].flatMap((user) =>
      [...allowedTo(model, { user, ...asking })].map((each) => `${user} ${each}`),
    ),
  );
