import type { TokenGroups } from '../../../engine/index.ts';
import type { Invariant } from '../../../table/invariant.ts';
import type { Model } from '../../proof/oracle/model.ts';
import { covers, judge } from '../../proof/oracle/oracle.ts';
import { NOW } from './worlds.ts';

/** Every subject, permission, scope, instant and token, one by one, by the oracle over what may be open. */

const YEAR = 400 * 86_400_000;
/** Somebody to whom nothing is granted. */
export const NEWCOMER = 'user:newcomer';

/** Who asks, and when, with which token; how conditions count. */
interface Asking {
  readonly subject: string;
  readonly at: number;
  readonly token: TokenGroups | undefined;
  readonly conditions: 'for' | 'against';
}

/** With a newcomer, all that is suspended, not sold or not licensed open, and conditions as they are best or worst. */
function opened(model: Model, conditions: Asking['conditions']): Model {
  const newcomer = { ref: NEWCOMER, status: 'active', endsAt: Number.POSITIVE_INFINITY, account: undefined };
  return {
    ...model,
    admins: [],
    modules: [],
    subjects: [...model.subjects.map((each) => ({ ...each, status: 'active' })), newcomer],
    scopes: model.scopes.map((each) => ({ ...each, status: 'active', enterprise: undefined })),
    effects: model.effects.flatMap(({ when, ...effect }) =>
      when === undefined || (effect.effect === 'ALLOW') === (conditions === 'for') ? [effect] : [],
    ),
  };
}

/** Every instant at which something begins or ends, and one between each two. */
function instantsOf({ subjects, assignments }: Model): readonly number[] {
  const named = [...subjects, ...assignments].flatMap((each) =>
    'endsAt' in each ? [each.endsAt] : [each.from, each.until],
  );
  const all = [...new Set([NOW, ...named, NOW + YEAR])]
    .filter((at) => at >= NOW && Number.isFinite(at))
    .sort();
  return all.flatMap((at, position) => [at, Math.floor((at + (all[position + 1] ?? at)) / 2)]);
}

/** No token, and every one that names groups of one issuer. */
function tokensOf({ externalGroups }: Model): readonly (TokenGroups | undefined)[] {
  const issuers = [...new Set(externalGroups.map(({ issuer }) => issuer))];
  const tokens = issuers.flatMap((issuer) => {
    const ids = externalGroups.filter((each) => each.issuer === issuer).map(({ name }) => name);
    return Array.from({ length: 2 ** ids.length - 1 }, (_, n) => ({
      issuer,
      ids: ids.filter((_id, bit) => ((n + 1) >> bit) % 2 === 1),
      until: 8.64e15,
    }));
  });
  return [undefined, ...tokens];
}

/** The scopes of a tenant, each with those above it. */
export function pathsIn({ scopes }: Model, root: string): ReadonlyMap<string, readonly string[]> {
  const above = (ref: string | undefined): readonly string[] =>
    ref === undefined ? [] : [ref, ...above(scopes.find((each) => each.ref === ref)?.parent)];
  const paths = scopes.map(({ ref }) => [ref, above(ref)] as const);
  return new Map(paths.filter(([ref, path]) => path.at(-1) === root && /^(?:tenant|location):/.test(ref)));
}

/** What somebody is allowed, by scope. */
function allowedTo(model: Model, scopes: Iterable<string>, { subject, at, token }: Asking) {
  const allowed = new Map<string, readonly string[]>();
  for (const scope of scopes)
    allowed.set(
      scope,
      model.permissions.flatMap(({ name: permission }) =>
        judge(model, { subject, permission, scope, at, groups: token }).allowed ? [permission] : [],
      ),
    );
  return allowed;
}
type Allowed = ReturnType<typeof allowedTo>;

/** The permissions that are allowed at each scope, or anywhere. */
const placesOf = ({ within }: Invariant, allowed: Allowed): readonly (readonly string[])[] =>
  within === 'scope' ? [...allowed.values()] : [[...allowed.values()].flat()];
const isAmong = (said: string, permissions: readonly string[]): boolean =>
  permissions.some((each) => covers(said, each));

function isBroken(
  { separate, never = '', except, ...of }: Invariant,
  allowed: Allowed,
  isExcepted: (group: string, scope: string) => boolean,
): boolean {
  if (separate)
    return placesOf(of as Invariant, allowed).some(
      (permissions) => separate.filter((said) => isAmong(said, permissions)).length > 1,
    );
  return [...allowed].some(
    ([scope, permissions]) => isAmong(never, permissions) && !(except && isExcepted(except.group, scope)),
  );
}

/**
 * Who may break which invariant, and who surely does, by `invariant subject`: the first instant.
 *
 * @param suspended memberships that count for what may be, and not for what is sure
 */
export function bruteForce(
  model: Model,
  root: string,
  invariants: readonly Invariant[],
  suspended: Model['memberships'],
) {
  const [may, certain] = [new Map<string, number>(), new Map<string, number>()];
  const paths = pathsIn(model, root);
  const unsuspended = {
    ...model,
    memberships: model.memberships.filter(
      (each) => !suspended.some((one) => one.subject === each.subject && one.group === each.group),
    ),
  };
  const note = (of: Model, asking: Asking, to: Map<string, number>): void => {
    const { subject, at, token } = asking;
    const allowed = allowedTo(of, paths.keys(), asking);
    const isExcepted = (id: string, scope: string): boolean => {
      const group = of.groups.find((each) => each.id === id);
      if (!group || !paths.get(scope)?.includes(group.scope)) return false;
      const isNamed = of.externalGroups.some(
        (each) => each.group === id && each.issuer === token?.issuer && token.ids.includes(each.name),
      );
      const isMember = of.memberships.some((each) => each.subject === subject && each.group === id);
      return group.everyone || isMember || isNamed;
    };
    for (const invariant of invariants) {
      const name = `${invariant.id} ${subject}`;
      if (!to.has(name) && isBroken(invariant, allowed, isExcepted)) to.set(name, at);
    }
  };
  const tokens = tokensOf(model);
  const subjects = [...model.subjects.map(({ ref }) => ref), NEWCOMER];
  const states = suspended.length > 0 ? [unsuspended, model] : [model];
  for (const state of states) {
    const [best, worst] = [opened(state, 'for'), opened(state, 'against')];
    for (const at of instantsOf(model))
      for (const subject of subjects.filter((each) => !model.admins.includes(each))) {
        if (state === model || suspended.some((each) => each.subject === subject))
          for (const token of tokens) note(best, { subject, at, token, conditions: 'for' }, may);
        note(worst, { subject, at, token: undefined, conditions: 'against' }, certain);
      }
  }
  return { may, certain };
}

/**
 * Whether a change gives somebody, at some instant, two of the permissions of a `separate` that they had not both: without
 * a token, or with one that names every group of an issuer.
 */
export function isBrokenAnew(
  before: Model,
  after: Model,
  root: string,
  invariants: readonly Invariant[],
): boolean {
  const [was, is] = [opened(before, 'for'), opened(after, 'for')];
  const instants = [...new Set([...instantsOf(before), ...instantsOf(after)])];
  const scopes = [...pathsIn(after, root).keys()];
  const tokens = tokensOf(after).filter(
    (token) =>
      !token ||
      after.externalGroups.every(({ name, issuer }) => issuer !== token.issuer || token.ids.includes(name)),
  );
  return is.subjects.some(({ ref: subject }) => {
    if (after.admins.includes(subject)) return false;
    // Who is new had what anybody has.
    const earlier = was.subjects.some(({ ref }) => ref === subject) ? subject : NEWCOMER;
    return tokens.some((token) =>
      instants.some((at) => {
        const had = allowedTo(was, scopes, { subject: earlier, at, token, conditions: 'for' });
        const has = allowedTo(is, scopes, { subject, at, token, conditions: 'for' });
        return invariants.some((invariant) => {
          const { separate = [] } = invariant;
          const among = (permissions: readonly string[] = []) =>
            permissions.filter((each) => separate.some((said) => covers(said, each)));
          const earlierPlaces = placesOf(invariant, had).map(among);
          return placesOf(invariant, has).some((permissions, place) => {
            const now = new Set(among(permissions));
            return now.size > 1 && [...now].some((each) => !earlierPlaces[place]?.includes(each));
          });
        });
      }),
    );
  });
}
