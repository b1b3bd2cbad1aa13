import type { Derivation, Explanation, Named, Source, Suggestions } from '../../../../engine/index.ts';
import { periodText } from '../../parts/instant.ts';
import { typeOf } from '../../refs.ts';
import { type ChangeLink, leavingOf } from './remedies.ts';

/** What a node of the picture stands for. `obstacle` is what an earlier step of the decision refused. */
export type NodeKind =
  | Source['kind']
  | 'everyone'
  | 'subject'
  | 'role'
  | 'effect'
  | 'obstacle'
  | 'permission';

export interface PathNode {
  readonly id: string;
  readonly kind: NodeKind;
  /** What it is, in words: `group`, `inherited role`, `DENY by pattern`. */
  readonly title: string;
  readonly name: string;
  readonly detail?: string | undefined;
  readonly ref?: string | undefined;
  readonly effect?: Derivation['effect'] | undefined;
  /** What a click shows: what a change of it would change. */
  readonly link?: ChangeLink | undefined;
  /** Whether it takes part in the decision; otherwise it only could. */
  readonly counts: boolean;
  readonly isDeciding: boolean;
}

/** `missing` is a link that would have to be there. */
export type EdgeState = 'counts' | 'does_not_count' | 'missing';

export interface PathEdge {
  readonly from: string;
  readonly to: string;
  readonly state: EdgeState;
  /** Why it does not count, or what is missing. */
  readonly label?: string | undefined;
  /** At the last edge, what reaches the permission: an ALLOW as an arrow, a DENY as a bar. */
  readonly effect?: Derivation['effect'] | undefined;
  readonly isDeciding: boolean;
}

/** One way from the subject to the permission: its nodes in order, and the edges between them. */
export type Chain = ReturnType<typeof chainOf>;
/** A decision as a picture: chains, and the nodes and edges that they share, each once. */
export type PathGraph = ReturnType<typeof pathGraph>;

/** Chains that are shown at first. */
export const FEW = 4;

/**
 * The picture of a decision: the deciding derivation first, then the others; where nothing allows, what would have
 * to be there.
 *
 * @param most chains to show; further ones are counted
 */
export function pathGraph(explanation: Explanation, most = FEW) {
  const all = chainsOf(explanation);
  const chains = all.slice(0, most);
  const { allowedBy, deniedBy, notCounting } = explanation;
  return {
    chains,
    nodes: merged(
      chains.flatMap(({ nodes }) => nodes),
      ({ id }) => id,
      (one, other) => ({
        ...one,
        counts: one.counts || other.counts,
        isDeciding: one.isDeciding || other.isDeciding,
      }),
    ),
    edges: merged(
      chains.flatMap(({ edges }) => edges),
      ({ from, to }) => JSON.stringify([from, to]),
      (one, other) => {
        const stronger = STRENGTH.indexOf(one.state) <= STRENGTH.indexOf(other.state) ? one : other;
        return { ...stronger, isDeciding: one.isDeciding || other.isDeciding };
      },
    ),
    /** Chains that are left out because there are many. */
    hidden: all.length - chains.length,
    /** Derivations that the explanation itself left out. */
    more: allowedBy.more + deniedBy.more + notCounting.more,
  };
}

const STRENGTH: readonly EdgeState[] = ['counts', 'does_not_count', 'missing'];

function merged<T>(
  all: readonly T[],
  keyOf: (one: T) => string,
  join: (one: T, other: T) => T,
): readonly T[] {
  const found = new Map<string, T>();
  for (const one of all) {
    const before = found.get(keyOf(one));
    found.set(keyOf(one), before === undefined ? one : join(before, one));
  }
  return [...found.values()];
}

export function chainsOf(explanation: Explanation): readonly Chain[] {
  const { allowedBy, deniedBy, notCounting } = explanation;
  const derivations = [...allowedBy.items, ...deniedBy.items, ...notCounting.items];
  const deciding = decidingOf(explanation);
  const derived = derivations.map((each) => derivationChain(each, explanation, each === deciding));
  const ordered = [...derived].sort((one, other) => Number(other.isDeciding) - Number(one.isDeciding));
  if (explanation.allowed || deciding) return [...ordered, ...missingChains(explanation)];
  return [...missingChains(explanation), ...ordered];
}

/** The derivation on which the decision rests; undefined where it rests on what is missing. */
function decidingOf({ reason, allowedBy, deniedBy, notCounting }: Explanation): Derivation | undefined {
  const isUnknown = ({ condition }: Derivation) => condition?.outcome === 'not_evaluated';
  switch (reason) {
    case 'admin':
    case 'role':
      return allowedBy.items[0];
    case 'denied_by_role':
      return deniedBy.items[0];
    case 'condition_failed':
      return notCounting.items.find(isUnknown) ?? deniedBy.items.find(isUnknown);
    default:
      return undefined;
  }
}

/** A step of a chain: a node, and how the edge to it differs from one that counts. */
interface Link extends Partial<Pick<PathEdge, 'state' | 'label' | 'effect'>> {
  readonly node: Omit<PathNode, 'isDeciding' | 'counts'>;
}

function chainOf(
  explanation: Explanation,
  links: readonly Link[],
  { isDeciding, counts }: { readonly isDeciding: boolean; readonly counts: boolean },
) {
  const all: readonly Link[] = [{ node: subjectNode(explanation) }, ...links];
  const nodes = all.map(
    ({ node }): PathNode => ({
      ...node,
      isDeciding,
      counts: counts || node.kind === 'subject' || node.kind === 'permission',
    }),
  );
  const edges = all.slice(1).map(({ node, state = 'counts', label, effect }, position): PathEdge => {
    const from = all[position]?.node.id ?? '';
    return { from, to: node.id, state, label, effect, isDeciding };
  });
  return { nodes, edges, isDeciding };
}

const subjectNode = ({ subject }: Explanation): Link['node'] => ({
  ...subject,
  id: 'subject',
  kind: 'subject',
  title: (typeOf(subject.ref) || 'subject').replace('-', ' '),
});

const permissionNode = ({ permission, path: [scope] }: Explanation): Link['node'] => ({
  id: 'permission',
  kind: 'permission',
  title: 'permission',
  name: permission,
  detail: `at ${scope?.name ?? ''}`,
  ref: scope?.ref,
});

function derivationChain(derivation: Derivation, explanation: Explanation, isDeciding: boolean): Chain {
  const { from, roles, condition, effect, by } = derivation;
  const links: Link[] = [{ node: sourceNode(from, explanation.subject, roles) }];
  for (const [position, role] of roles.entries()) links.push({ node: roleNode(role, position > 0) });
  if (by) {
    const detail = condition ? OUTCOMES[condition.outcome] : undefined;
    const id = JSON.stringify(['effect', roles.at(-1)?.ref, effect, by.name, condition?.when]);
    const title = by.kind === 'pattern' ? `${effect} by pattern` : effect;
    links.push({ node: { id, kind: 'effect', title, name: by.name, detail, effect } });
  }
  const { state, label } = lastEdge(derivation, explanation);
  links.push({ node: permissionNode(explanation), state, label, effect });
  return chainOf(explanation, links, { isDeciding, counts: state === 'counts' });
}

const OUTCOMES = {
  holds: 'its condition holds',
  does_not_hold: 'its condition fails',
  not_evaluated: 'condition unknown',
} as const;

/** Whether an effect reaches the permission, and if not, why. */
function lastEdge(
  derivation: Derivation,
  { allowed, notCounting }: Explanation,
): { readonly state: EdgeState; readonly label?: string } {
  if (notCounting.items.includes(derivation)) return { state: 'does_not_count', label: 'does not count' };
  if ((derivation.effect === 'ALLOW') !== allowed) return { state: 'does_not_count', label: 'overridden' };
  return { state: 'counts' };
}

const roleNode = (role: Named, isInherited: boolean): Link['node'] => ({
  ...role,
  id: role.ref,
  kind: 'role',
  title: isInherited ? 'inherited role' : 'role',
});

function sourceNode(source: Source, subject: Named, roles: readonly Named[]): Link['node'] {
  const { kind } = source;
  const link = leavingOf(source, subject, roles[0]);
  if (kind === 'global_role') return { id: kind, kind, title: 'global role', name: 'in every tenant' };
  if (kind === 'administrator') return { id: kind, kind, title: kind, name: 'everything, everywhere' };
  const { ref, name } = source.scope;
  const at = `at ${name}`;
  switch (kind) {
    case 'group': {
      const { group, everyone } = source;
      const named = { ...group, id: group.ref, detail: at, link };
      return everyone
        ? { ...named, kind: 'everyone', title: 'group of everyone' }
        : { ...named, kind, title: 'group' };
    }
    case 'token_group': {
      const { group } = source;
      const detail = `${at}, ${periodText(source)}`;
      return { ...group, id: `token ${group.ref}`, kind, title: 'group of the token', detail, link };
    }
    case 'assignment': {
      const id = JSON.stringify([kind, ref, roles[0]?.ref]);
      return { id, kind, title: kind, name: at, detail: periodText(source), ref, link };
    }
    case 'grant':
      return { id: `grant ${ref}`, kind, title: 'tenant grant', name: `in ${name}`, ref, link };
  }
}

/** What refused it before any role was looked at, or what would have had to be there. */
function missingChains(explanation: Explanation): readonly Chain[] {
  const { allowed, reason, steps, suggestions, notCounting } = explanation;
  if (allowed) return [];
  const deciding = steps.find(({ decides }) => decides);
  if (deciding && deciding.step <= 5) {
    return deciding.missing.map(({ code, text }, position) => {
      const name = text.startsWith(`${code}: `) ? text.slice(code.length + 2) : text;
      const id = `obstacle ${position}`;
      const node = { id, kind: 'obstacle', title: deciding.name, name } as const;
      const goal: Link = { node: permissionNode(explanation), state: 'missing', label: 'refused here' };
      return chainOf(explanation, [{ node }, goal], { isDeciding: position === 0, counts: true });
    });
  }
  if (!suggestions) return [];
  const found = suggestedChains(explanation, suggestions);
  if (found.length > 0 || notCounting.items.length > 0 || reason !== 'no_grant') return found;
  const goal: Link = { node: permissionNode(explanation), state: 'missing', label: 'no role allows it' };
  return [chainOf(explanation, [goal], { isDeciding: true, counts: true })];
}

/** Why a grant that the subject has does not reach the permission here and now. */
const NOT_HERE = {
  here: undefined,
  above: undefined,
  below: 'not here',
  beside: 'not here',
  other_tenant: 'other tenant',
} as const;
const NOT_NOW = { holds: undefined, ended: 'has ended', not_begun: 'not begun' } as const;

/** Whether the subject has a role already, whose condition keeps it from counting: once more would not help. */
export const hasFailed = ({ ref }: Named, { notCounting }: Explanation): boolean =>
  notCounting.items.some(({ roles }) => roles.some((role) => role.ref === ref));

/** The closest suggestions: a grant that is not in force here, a group to join, a role to be granted. */
function suggestedChains(
  explanation: Explanation,
  { granted, groups, roles }: Suggestions,
): readonly Chain[] {
  const goal = permissionNode(explanation);
  const missing = { state: 'missing', label: 'missing' } as const;
  const unused = { state: 'does_not_count' } as const;
  const last: Link = { node: goal, effect: 'ALLOW', ...unused };
  const [elsewhere] = granted.items;
  const [group] = groups.items;
  const role = roles.items.find((each) => !hasFailed(each.role, explanation));
  const chains: (readonly Link[])[] = [];
  if (elsewhere) {
    const { from, roles: inherited, relation, period } = elsewhere;
    const state = period === 'holds' ? 'counts' : 'does_not_count';
    chains.push([
      { node: sourceNode(from, explanation.subject, inherited), state, label: NOT_NOW[period] },
      ...inherited.map((each, position): Link => ({ node: roleNode(each, position > 0), state })),
      { ...last, label: NOT_HERE[relation] },
    ]);
  }
  if (group) {
    const node = sourceNode({ kind: 'group', ...group }, explanation.subject, [group.role]);
    chains.push([
      { node: { ...node, link: undefined }, ...missing },
      { node: roleNode(group.role, false), ...unused },
      last,
    ]);
  }
  if (role && chains.length < 2 && role.role.ref !== group?.role.ref)
    chains.push([{ node: { ...roleNode(role.role, false), detail: `allows ${role.by}` }, ...missing }, last]);
  // Each has nodes of its own: that a role is granted elsewhere does not make it count here.
  return chains.map((links, position) =>
    chainOf(
      explanation,
      links.map(({ node, ...rest }) =>
        node.id === goal.id
          ? { node, ...rest }
          : { node: { ...node, id: `suggestion ${position} ${node.id}` }, ...rest },
      ),
      { isDeciding: false, counts: false },
    ),
  );
}
