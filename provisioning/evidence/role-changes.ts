import type { Combination } from '../../table/decision/items.ts';
import { defined } from '../../table/defined.ts';
import { isPermissionPattern, namesCovering, patternsCovering } from '../../table/permission-name.ts';
import type { Matrix } from '../matrix/matrix.ts';

/** What a role may do to a permission that it might not before, whoever has it. */
export interface RoleFinding {
  /** The root scope, by its name; left out for the roles that no tenant owns. */
  readonly tenant?: string;
  readonly role: string;
  /** A word in angle brackets stands for any that no role names. */
  readonly permission: string;
  readonly verdict: 'wider' | 'cannot_tell';
  readonly why: string;
}

/** What a role says of a permission: without a condition, and on which ones, as they are written. */
interface Said {
  readonly always: boolean;
  readonly when: ReadonlySet<string>;
}

/** Stands for every word that no pattern names. */
const ANY = '<any>';

/**
 * What roles say, own and inherited, by the label of the role.
 *
 * @param isOwn whether only those that the root owns are asked for; a matrix without a root has no such ones
 */
function statementsOf({ roles, cells, scope }: Matrix, isOwn: boolean) {
  const asked = roles.filter((role) => !isOwn || role.scope === scope?.ref);
  const said = new Map(asked.map(({ label }) => [label, [] as Statement[]]));
  const labels = new Map(roles.map(({ id, label }) => [id, label]));
  for (const { role, permission, marks } of cells)
    for (const { effect, when, pattern } of marks)
      if (pattern === undefined) said.get(labels.get(role) ?? '')?.push({ by: permission, effect, when });
  return said;
}

interface Statement {
  readonly by: string;
  readonly effect: 'ALLOW' | 'DENY';
  readonly when: string | undefined;
}

/**
 * Permissions that tell these statements, and other names or patterns, apart: those that are named, and of those that are
 * not one for each way in which patterns can cover it.
 */
function probesOf(statements: readonly Statement[], ...others: readonly string[]): readonly string[] {
  const names = [...statements.map(({ by }) => by), ...others];
  const patterns = names.filter(isPermissionPattern);
  const parts = (position: number, module?: string): readonly string[] => [
    ANY,
    ...patterns.flatMap((each) => {
      const words = each.split(':');
      const word = words[position] ?? '*';
      return word === '*' || (module !== undefined && words[0] !== module) ? [] : [word];
    }),
  ];
  const unnamed = parts(0).flatMap((module) =>
    parts(1, module).flatMap((action) => parts(2, module).map((one) => `${module}:${action}:${one}`)),
  );
  return [...new Set([...names.filter((each) => !patterns.includes(each)), ...unnamed, ANY])].sort();
}

const SILENT: Said = { always: false, when: new Set() };

function saidOf(statements: readonly Statement[], effect: Statement['effect'], permission: string): Said {
  const by = new Set(namesCovering(permission));
  const all = statements.filter((each) => each.effect === effect && by.has(each.by));
  return {
    always: all.some(({ when }) => when === undefined),
    when: new Set(all.flatMap(({ when }) => when ?? [])),
  };
}

const isSilent = ({ always, when }: Said): boolean => !always && when.size === 0;

/** Whether what `one` says is said by `other` whenever it counts; conditions are compared as texts. */
function isWithin(one: Said, other: Said): boolean | undefined {
  if (isSilent(one) || other.always) return true;
  if (!one.always && [...one.when].every((each) => other.when.has(each))) return true;
  return one.always || isSilent(other) ? false : undefined;
}

/**
 * Where roles may do more than before: allow what they did not, or no longer deny what they did, where a DENY overrides.
 * A role that is not there says nothing.
 *
 * @param before and `after`: of the same root; undefined where it is not there
 */
export function widerIn(before: Matrix | undefined, after: Matrix | undefined): readonly RoleFinding[] {
  if ((after ?? before)?.scope)
    return widerWhere(before, after, isDenyOverriding(before), isDenyOverriding(after));
  // Of roles that no tenant owns each tenant chooses whether a DENY overrides.
  const found = new Map<string, RoleFinding>();
  for (const overrides of [false, true])
    for (const finding of widerWhere(before, after, overrides, overrides)) {
      const name = `${finding.role} ${finding.permission}`;
      if (found.get(name)?.verdict !== 'wider') found.set(name, finding);
    }
  return [...found.values()];
}

/** @param denied and `denies`: whether a DENY overrides, before and after */
function widerWhere(
  before: Matrix | undefined,
  after: Matrix | undefined,
  denied: boolean,
  denies: boolean,
): readonly RoleFinding[] {
  const tenant = (after ?? before)?.scope?.name;
  // Roles that no tenant owns are compared by themselves, unless the tenant lets go of what they deny.
  const isOwn = tenant !== undefined && !(denied && after && !denies);
  const [was, is] = [before && statementsOf(before, isOwn), after && statementsOf(after, isOwn)];
  const findings: RoleFinding[] = [];
  for (const role of new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])) {
    const [old, now] = [was?.get(role) ?? [], is?.get(role) ?? []];
    for (const permission of probesOf([...old, ...now])) {
      const deniedBefore = denied ? saidOf(old, 'DENY', permission) : SILENT;
      const deniedNow = denies ? saidOf(now, 'DENY', permission) : SILENT;
      if (deniedNow.always) continue;
      const allowedBefore = deniedBefore.always ? SILENT : saidOf(old, 'ALLOW', permission);
      const outcomes = [
        [isWithin(saidOf(now, 'ALLOW', permission), allowedBefore), 'allows it'],
        [isWithin(deniedBefore, deniedNow), 'no longer denies it'],
      ] as const;
      const worst =
        outcomes.find(([isOk]) => isOk === false) ?? outcomes.find(([isOk]) => isOk === undefined);
      if (!worst) continue;
      const [isOk, what] = worst;
      findings.push({
        ...defined({ tenant }),
        role,
        permission,
        verdict: isOk === false ? 'wider' : 'cannot_tell',
        why: isOk === false ? what : `${what} on another condition`,
      });
    }
  }
  return findings;
}

const isDenyOverriding = (matrix: Matrix | undefined): boolean =>
  matrix !== undefined && chooses(matrix.combination);
const chooses = (combination: Combination): boolean => combination === 'deny-overrides';

/**
 * Where roles of a name allow a permission, or one that a pattern covers.
 *
 * @returns undefined where the matrix has no role of this name
 */
export function allowedBy(matrix: Matrix, name: string, asked: string): readonly RoleFinding[] | undefined {
  const roles = matrix.roles.filter((role) => role.name === name || role.label === name);
  return roles.length === 0 ? undefined : roles.flatMap(({ label }) => allowedByRole(matrix, label, asked));
}

function allowedByRole(matrix: Matrix, role: string, asked: string): readonly RoleFinding[] {
  const statements = statementsOf(matrix, false).get(role) ?? [];
  const isAsked = (permission: string) =>
    permission === asked || patternsCovering(permission).includes(asked);
  const findings: RoleFinding[] = [];
  for (const permission of probesOf(statements, asked))
    if (isAsked(permission)) {
      const allows = saidOf(statements, 'ALLOW', permission);
      const isDenied = chooses(matrix.combination) && saidOf(statements, 'DENY', permission).always;
      if (isSilent(allows) || isDenied) continue;
      findings.push({
        ...(matrix.scope ? { tenant: matrix.scope.name } : {}),
        role,
        permission,
        verdict: allows.always ? 'wider' : 'cannot_tell',
        why: allows.always ? 'allows it' : 'allows it on a condition',
      });
    }
  return findings;
}
