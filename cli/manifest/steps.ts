import { isPermissionPattern } from '../../table/permission-name.ts';
import type { Path, Problem } from '../document.ts';
import { changesOf, creationsOf, fixedProblems, type Part, removal, rolesOf } from './compare.ts';
import { type Fact, keyOf } from './fact.ts';
import type { Row } from './look.ts';
import { timed } from './order.ts';
import type { Phase, Verb } from './phase.ts';
import type { Survey } from './survey.ts';

/** One command, and what is said of it. */
export interface Step {
  readonly verb: Verb;
  readonly kind: string;
  readonly command: string;
  readonly input: Row;
  readonly label: string;
  /** What changes, for people: `status: active > disabled`. */
  readonly details: readonly string[];
  /** Why somebody should look twice. */
  readonly danger: string | undefined;
  readonly path: Path;
  readonly phase: Phase;
  /** Steps of one unit go into one transaction, as long as it holds them. */
  readonly unit: string;
}

/** What is in the table and not in the manifest, and stays. */
export interface Kept {
  readonly kind: string;
  readonly label: string;
  /** It belongs to no tenant. */
  readonly shared: boolean;
}

export interface Changes {
  readonly steps: readonly Step[];
  readonly kept: readonly Kept[];
  readonly unchanged: number;
  readonly problems: readonly Problem[];
}

export interface Pruning {
  readonly prune: boolean;
  /** Also what belongs to no tenant. */
  readonly shared: boolean;
}

/** Compares what is wanted with what is there; routes are compared by themselves (routes.ts). */
export function changesBetween(survey: Survey, declared: ReadonlySet<string>, pruning: Pruning): Changes {
  const there = new Map(survey.present.map((fact) => [keyOf(fact), fact]));
  const wanted = new Map<string, Fact>();
  const problems: Problem[] = [];
  for (const fact of survey.wanted) {
    const twin = wanted.get(keyOf(fact));
    if (twin)
      problems.push({
        path: fact.path,
        message: `is the same thing as ${twin.path.join('.')}: give one of them another name, or leave it out`,
      });
    else wanted.set(keyOf(fact), fact);
  }
  const parts: Part[] = [];
  let unchanged = 0;
  for (const [key, fact] of wanted) {
    const now = there.get(key);
    if (!now) parts.push(...creationsOf(fact));
    else {
      problems.push(...fixedProblems(fact, now, survey.names));
      const changes = changesOf(fact, now, pruning.prune);
      if (changes.length === 0) unchanged += 1;
      parts.push(...changes);
    }
  }
  const beyond = [...there]
    .filter(([key, fact]) => !wanted.has(key) && declared.has(fact.section))
    .map(([, fact]) => fact);
  const isPruned = ({ shared }: Fact) => (shared ? pruning.shared : pruning.prune);
  const rest = withoutTiesOf(beyond);
  parts.push(...rest.filter(isPruned).map(removal));
  const kept = rest
    .filter((fact) => !isPruned(fact))
    .map(({ kind, label, shared = false }): Kept => ({ kind, label, shared }));
  const steps = timed(parts, survey).map(({ part, phase, unit }): Step => {
    const { verb, command, input, fact } = part;
    const { kind, label, path } = fact;
    return {
      ...{ verb, kind, command, input, label, path, phase, unit },
      details: detailsOf(part, survey.names),
      danger: dangerOf(part, dangerousIn(survey)),
    };
  });
  return {
    steps,
    kept: [...kept, ...(pruning.prune ? [] : keptRoles(wanted, there, survey.names))],
    unchanged,
    problems,
  };
}

/** What hangs on a thing goes with it, and need not be told of. */
function withoutTiesOf(facts: readonly Fact[]): readonly Fact[] {
  const gone = new Set(
    facts.flatMap(({ kind, identity }) => (identity.id === undefined ? [] : [`${kind}:${identity.id}`])),
  );
  return facts.filter(
    ({ kind, identity }) =>
      kind === 'user' ||
      !(
        gone.has(`user:${identity.user}`) ||
        gone.has(String(identity.user)) ||
        gone.has(`group:${identity.group}`) ||
        gone.has(`role:${identity.role}`)
      ),
  );
}

/** Roles that a grant holds, or a role inherits from, beyond the manifest. */
const keptRoles = (
  wanted: ReadonlyMap<string, Fact>,
  there: ReadonlyMap<string, Fact>,
  names: Survey['names'],
): readonly Kept[] =>
  [...wanted].flatMap(([key, fact]) => {
    const parent = fact.implied?.parent === null ? there.get(key)?.values.parent : undefined;
    if (parent !== undefined)
      return [
        {
          kind: 'role',
          label: `${fact.label}: inherits from ${names.get(`role:${parent}`) ?? parent}`,
          shared: false,
        },
      ];
    const now = fact.kind === 'grant' ? there.get(key) : undefined;
    const beyond = rolesOf(now?.values).filter((role) => !rolesOf(fact.values).includes(role));
    const roles = beyond.map((id) => names.get(`role:${id}`) ?? id).join(', ');
    return beyond.length === 0 ? [] : [{ kind: 'grant', label: `${fact.label}: ${roles}`, shared: false }];
  });

const TOLD: ReadonlySet<string> = new Set(['effect', 'startsAt', 'endsAt', 'status', 'soldBySubscription']);

/** What is said of a step beside what it is about. */
function detailsOf({ verb, fact, input, before }: Part, names: Survey['names']): readonly string[] {
  if (verb === 'remove') return [];
  const show = (field: string, value: unknown): string => {
    if (value === null || value === undefined) return 'none';
    const named = (each: unknown) => names.get(String(each)) ?? names.get(`role:${each}`) ?? String(each);
    if (field === 'roles') return `[${(value as readonly unknown[]).map(named).join(', ')}]`;
    return typeof value === 'object' ? JSON.stringify(value) : named(value);
  };
  const fields = Object.keys(input).filter((field) => !(field in fact.identity));
  if (verb === 'create')
    return fields
      .filter((field) => TOLD.has(field) || (field === 'roles' && fact.kind === 'grant'))
      .map((field) => `${field} ${show(field, input[field])}`);
  return fields.map((field) => `${field} ${show(field, before?.[field])} > ${show(field, input[field])}`);
}

function dangerousIn({ wanted, present }: Survey): ReadonlySet<unknown> {
  return new Set(
    [...wanted, ...present]
      .filter(({ kind, values }) => kind === 'permission' && values.isDangerous === true)
      .map(({ identity }) => identity.name),
  );
}

function dangerOf({ verb, fact, input, before }: Part, dangerous: ReadonlySet<unknown>): string | undefined {
  const { kind, identity } = fact;
  if (verb === 'remove') return undefined;
  if (kind === 'admin') return 'an administrator may do everything everywhere';
  if (kind === 'global-role' && verb === 'create') return 'a global role holds in every tenant';
  if (kind === 'permission' && before?.isDangerous === true && input.isDangerous === false)
    return 'no longer marked as dangerous';
  if (kind !== 'role-permission' || input.effect !== 'ALLOW') return undefined;
  if (isPermissionPattern(String(identity.permission))) return 'a wildcard: it allows what will come as well';
  return dangerous.has(identity.permission) ? 'a permission that is marked as dangerous' : undefined;
}
