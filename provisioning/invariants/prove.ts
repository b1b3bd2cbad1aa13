import type { TokenGroups } from '../../engine/index.ts';
import { groupsOf } from '../../table/decision/items.ts';
import { defined } from '../../table/defined.ts';
import { type Invariant, permissionsOf } from '../../table/invariant.ts';
import { nodeKey } from '../../table/keys.ts';
import { isPermissionPattern, overlap } from '../../table/permission-name.ts';
import type { Reader } from '../../table/reader.ts';
import { createCopy, TooLarge } from '../access-difference/copy.ts';
import { subjectOf, TooMany } from '../access-difference/people.ts';
import {
  createHoldings,
  pathOf,
  permissionsOf as registeredIn,
  type State,
  stateOf,
} from '../access-difference/state.ts';
import { byIssuer, type ExternalGroup, MOST_GROUPS, tokenNaming } from '../access-difference/token-groups.ts';
import { group } from '../edges/rights.ts';
import { firstBreach } from './breaches.ts';
import { administratorsOf, type Candidates, candidatesIn } from './candidates.ts';
import { candidatesAmong } from './candidates-among.ts';
import { createFindings, type Findings } from './findings.ts';
import { opened, withMemberships } from './opened.ts';
import { createTimelines, type Timeline } from './timelines.ts';
import { createReporter, type Violation } from './violation.ts';

/** Whether the invariants of a root hold. */
export interface Proof {
  /** One for all who break an invariant by the same grants. */
  readonly violations: readonly Violation[];
  /** How many more there are than are listed. */
  readonly moreViolations: number;
  /** Who may do everything, everywhere: an invariant says nothing of them. As references. */
  readonly administrators: readonly string[];
  readonly decided: Decided;
  /** The bound that was met, or what is damaged: then no invariant without a violation is known to hold. */
  readonly unproved?: string;
}

/** What was looked at. */
export interface Decided {
  /** People to whom something is granted that may allow one of the permissions; all others are as one without grants. */
  readonly people: number;
  readonly scopes: number;
  readonly permissions: number;
  /** By person, permission, scope, and instant at which something begins or ends. */
  readonly cells: number;
  /** Decisions of the engine: people to whom the same is granted are decided as one. */
  readonly decisions: number;
}

export interface ToProve {
  /** The table, or a copy of it after a change. It is only read. */
  readonly reader: Reader;
  /** The root whose invariants these are. */
  readonly root: string;
  readonly invariants: readonly Invariant[];
  /** From when on, in epoch milliseconds. */
  readonly at: number;
  readonly bounds?: Partial<Bounds>;
  /** Of a change: what it gives is looked at, to these subjects and to somebody without grants. */
  readonly change?: Change;
}

interface Change {
  /** The table before it. */
  readonly before: Reader;
  /** As references. */
  readonly people: readonly string[];
  /** Whether it touches what tokens give: then whoever may hold one of the permissions is looked at as well. */
  readonly isOfTokens: boolean;
}

/** How much is looked at. */
interface Bounds {
  /** Items of the table, and calls that read them. */
  readonly items: number;
  readonly calls: number;
  /** People who may hold one of the permissions. */
  readonly people: number;
  readonly decisions: number;
  /** Violations that are listed. */
  readonly violations: number;
}

const BOUNDS: Bounds = {
  items: 500_000,
  calls: 100_000,
  people: 100_000,
  decisions: 2_000_000,
  violations: 20,
};

/**
 * Decides whether invariants hold: by the engine, for everybody, at every scope of a root, and at every instant from one
 * on at which something begins or ends. What is suspended, inactive or not sold counts as open, and a condition may hold.
 * Somebody to whom nothing is granted is decided as well: so it stays true when such a person comes.
 *
 * @throws GatehouseError faults of the table
 */
export async function proveInvariants({
  reader,
  root,
  invariants,
  at,
  bounds,
  change,
}: ToProve): Promise<Proof> {
  const most = { ...BOUNDS, ...bounds };
  const { before: table } = createCopy(reader, most);
  const was = change && createCopy(change.before, most).before;
  const findings = createFindings();
  const decided = { people: 0, scopes: 0, permissions: 0, cells: 0, decisions: 0 };
  const spend = (decisions: number): void => {
    decided.decisions += decisions;
    if (decided.decisions > most.decisions)
      throw new TooLarge(`it takes more than ${most.decisions} decisions`);
  };
  let administrators: readonly string[] = [];
  let unproved: string | undefined;
  const violations: Violation[] = [];
  try {
    administrators = change ? [] : await administratorsOf(table, most);
    const permissions = await permissionsIn(table, invariants);
    decided.permissions = permissions.length;
    const holders = (): Promise<Candidates> =>
      candidatesIn(table, root, permissions, exceptedBy(invariants), most);
    const more = change?.isOfTokens ? (await holders()).people.keys() : [];
    const candidates =
      change && was
        ? await candidatesAmong(table, root, {
            before: was,
            people: [...new Set([...change.people, ...more])],
          })
        : await holders();
    decided.people = candidates.people.size;
    const anybody = anybodyBeside(candidates);
    const before = was && opened(was, anybody);
    const prover = { invariants, permissions, at, candidates, findings, decided, spend, before };
    await proveOn(opened(table, anybody), anybody, [...candidates.people.keys()], prover);
    if (candidates.suspended.length > 0) {
      const members = candidates.suspended.flatMap((edge) => subjectOf(edge) ?? []);
      const resumed = await withMemberships(table, candidates.suspended);
      await proveOn(opened(resumed, anybody), anybody, [...new Set(members)], prover);
    }
    const report = createReporter({ reader: table, at });
    for (const finding of findings.all.slice(0, most.violations)) violations.push(await report(finding));
  } catch (error) {
    unproved = boundOf(error, most);
    if (unproved === undefined) throw error;
  }
  return {
    violations,
    moreViolations: findings.all.length - violations.length,
    administrators,
    decided,
    ...defined({ unproved }),
  };
}

/** The pages and permissions that the invariants are about, with what their patterns cover. */
async function permissionsIn(reader: Reader, invariants: readonly Invariant[]): Promise<readonly string[]> {
  const said = [...new Set(invariants.flatMap(permissionsOf))];
  if (!said.some(isPermissionPattern)) return said;
  return (await registeredIn([reader])).filter((name) => said.some((each) => overlap(each, name)));
}

function boundOf(error: unknown, { calls, people }: Bounds): string | undefined {
  if (error instanceof TooLarge) return error.message;
  if (error instanceof TooMany)
    return `more than ${people} people may hold one of the permissions, or it takes more than ${calls} calls to find them`;
  return undefined;
}

/** A subject that no edge names. */
function anybodyBeside({ people }: Candidates): string {
  let ref = 'user:anybody';
  while (people.has(ref)) ref += '_';
  return ref;
}

interface Prover {
  readonly invariants: readonly Invariant[];
  readonly permissions: readonly string[];
  readonly at: number;
  readonly candidates: Candidates;
  readonly findings: Findings;
  readonly decided: { -readonly [name in keyof Decided]: Decided[name] };
  readonly spend: (decisions: number) => void;
  /** The table before a change. */
  readonly before: Reader | undefined;
}

/** People to whom the same is granted. */
interface Alike {
  readonly one: string;
  readonly people: readonly string[];
  /** Where they may begin to hold what they do not hold above. */
  readonly scopes: ReadonlySet<string>;
}

/** Decides for these people, and for somebody without grants, upon one state of the table. */
async function proveOn(
  reader: Reader,
  anybody: string,
  people: readonly string[],
  { invariants, permissions, at, candidates, findings, decided, spend, before }: Prover,
): Promise<void> {
  const { everyoneAt, external } = candidates;
  const state = await stateOf(reader, [...people, anybody], at);
  const timelineOf = createTimelines(state, permissions, at, spend);
  const earlier = before && (await stateOf(before, [...people, anybody], at));
  const earlierOf = earlier && createTimelines(earlier, permissions, at, spend);
  const exemptionOf = await exemptionsOn(reader, invariants);
  const scopesSeen = new Set<string>();

  async function decide(alike: Alike, scopes: Iterable<string>, some: readonly Invariant[], token?: Token) {
    const timelines: Timeline[] = [];
    const earlierOnes: Timeline[] = [];
    for (const scope of some.length > 0 ? scopes : []) {
      const timeline = await timelineOf(alike.one, scope, token?.groups);
      scopesSeen.add(scope);
      decided.cells += alike.people.length * permissions.length * timeline.from.length;
      timelines.push(timeline);
      if (earlierOf) earlierOnes.push(await earlierOf(alike.one, scope, token?.groups));
    }
    for (const invariant of some) {
      const isExempt = await exemptionOf(invariant, state, alike.one, [...scopes], token);
      const breach = firstBreach(invariant, timelines, permissions, isExempt, earlierOf && earlierOnes);
      if (breach)
        findings.add({
          invariant,
          breach,
          opened: reader,
          token: token?.groups,
          anybody,
          people: alike.people,
        });
    }
  }

  const nobody: Alike = { one: anybody, people: [anybody], scopes: everyoneAt };
  const states = earlier ? [state, earlier] : [state];
  const all = [nobody, ...(await alikeIn(people, states, candidates, invariants))];
  for (const alike of all) await decide(alike, alike.scopes, invariants);

  // Whoever shows a token. Its groups only allow: for one permission, each of them tells by itself.
  for (const groups of byIssuer(external)) {
    const open = (alike: Alike, kind: 'separate' | 'never') =>
      invariants.filter(
        (each) => each[kind] && !findings.has(each.id, anybody) && !findings.has(each.id, alike.one),
      );
    for (const each of groups) await decide(nobody, [each.scope], open(nobody, 'never'), tokenOf([each]));
    const scopes = groups.map(({ scope }) => scope);
    for (const alike of all)
      await decide(alike, new Set([...alike.scopes, ...scopes]), open(alike, 'separate'), tokenOf(groups));
  }
  decided.scopes = Math.max(decided.scopes, scopesSeen.size);
}

const exceptedBy = (invariants: readonly Invariant[]): readonly string[] =>
  invariants.flatMap(({ except }) => except?.group ?? []);

interface Token {
  readonly groups: TokenGroups;
  /** The groups of ours that it names. */
  readonly ours: ReadonlySet<string>;
}

function tokenOf(named: readonly ExternalGroup[]): Token {
  if (named.length > MOST_GROUPS) throw new TooLarge(`an issuer has more than ${MOST_GROUPS} groups there`);
  return { groups: tokenNaming(named), ours: new Set(named.map((each) => each.group)) };
}

/** Groups people by what is granted to them anywhere in the root, and by what excepts them. Administrators and subjects that are gone are left out. */
async function alikeIn(
  people: readonly string[],
  states: readonly State[],
  { people: scopesOf, everyoneAt }: Candidates,
  invariants: readonly Invariant[],
): Promise<readonly Alike[]> {
  const excepted = new Set(exceptedBy(invariants));
  const scopes = new Set([...everyoneAt, ...people.flatMap((each) => [...(scopesOf.get(each) ?? [])])]);
  const sides = await Promise.all(
    states.map(async (state) => {
      const paths = await Promise.all([...scopes].map((scope) => pathOf(state, scope)));
      const holdingsOf = createHoldings(paths.flat(), false);
      return (one: string) => holdingsOf(one, state.subject(one));
    }),
  );
  const classes = new Map<string, { one: string; people: string[]; scopes: Set<string> }>();
  for (const one of people) {
    const subject = states[0]?.subject(one);
    if (!subject || subject.isAdmin) continue;
    // A group that is excepted may carry no roles.
    const text = JSON.stringify([
      sides.map((holdingsOf) => holdingsOf(one)),
      groupsOf(subject)
        .filter((id) => excepted.has(id))
        .sort(),
    ]);
    const alike = classes.get(text) ?? { one, people: [], scopes: new Set(everyoneAt) };
    alike.people.push(one);
    for (const scope of scopesOf.get(one) ?? []) alike.scopes.add(scope);
    classes.set(text, alike);
  }
  return [...classes.values()];
}

/** Who is excepted where: the members of a group, at its scope and below. */
async function exemptionsOn(reader: Reader, invariants: readonly Invariant[]) {
  const ids = exceptedBy(invariants);
  const nodes = await reader.getMany(ids.map((id) => nodeKey(group(id))));
  const groups = new Map(ids.map((id, position) => [id, nodes[position]]));
  return async (
    { except }: Invariant,
    state: State,
    one: string,
    scopes: readonly string[],
    token: Token | undefined,
  ): Promise<(scope: string) => boolean> => {
    const node = except && groups.get(except.group);
    const subject = state.subject(one);
    if (!except || !node || !subject) return () => false;
    const isIn =
      node.everyone === true ||
      groupsOf(subject).includes(except.group) ||
      token?.ours.has(except.group) === true;
    if (!isIn) return () => false;
    const paths = await Promise.all(scopes.map((scope) => pathOf(state, scope)));
    const exempt = new Set(
      scopes.filter((_, position) => paths[position]?.some(({ ref }) => ref === node.scope)),
    );
    return (scope) => exempt.has(scope);
  };
}
