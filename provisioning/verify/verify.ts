import { Attribute, splitAttribute } from '../../table/decision/attributes.ts';
import { stampedAt } from '../../table/decision/writes.ts';
import { GatehouseError } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { apiRef, type Key, parseKey, partitionOf } from '../../table/keys.ts';
import { isPermissionPattern } from '../../table/permission-name.ts';
import type { Reader } from '../../table/read/reader.ts';
import type { Action } from '../../table/write/action.ts';
import { mergeActions } from '../../table/write/merge.ts';
import type { Writer } from '../../table/write/writer.ts';
import { auditRecord } from '../audit.ts';
import { decisionRelations, factRelations } from './decisions.ts';
import { edgeRelations } from './edges.ts';
import { byDanger, type Finding, identityOf } from './finding.ts';
import { nodeAt } from './kinds.ts';
import { indexDamage } from './node-damage.ts';
import { copyRelation, guardRelations, nodeRelations, otherEnd, ruleRelation } from './nodes.ts';
import { rebuild } from './rebuild.ts';
import {
  asRead,
  attempt,
  canonical,
  type Fault,
  type Found,
  guarded,
  identity,
  isExpired,
  type Relation,
  toFinding,
} from './relation.ts';
import { everything, guardKeys, inOneTenant, pagesOf } from './walk.ts';

export interface VerifyOptions {
  readonly reader: Reader;
  readonly clock: { readonly now: () => number };
  /** Only this tenant, all that is listed in it, and who has a grant there. */
  readonly tenant?: Ref;
  /** Put right what can be derived. */
  readonly repair?: { readonly writer: Writer; readonly newId: () => string; readonly actor?: string };
  /** Milliseconds after which what looks wrong is read again before it is reported. Default 1,000. */
  readonly graceMs?: number;
  /** Items read per second, at most. */
  readonly rate?: number;
  /** Partitions that are looked at at a time. Default 8. */
  readonly width?: number;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly partitions: number;
  readonly items: number;
  /** Reads: items of Queries, keys of BatchGetItem and TransactGetItems. */
  readonly reads: number;
  readonly findings: number;
}

export interface Verified extends Progress {
  /** What is wrong, or still is after the repair; what opens something first. */
  readonly open: readonly Finding[];
  readonly repaired: readonly Finding[];
}

/** How often the table is walked: what was put right may be what other items are made from. */
const MAX_ROUNDS = 4;
/** How often a repair is tried that somebody else's change came before. */
const MAX_TRIES = 5;
/** More findings than this are not kept: the table is then not what was meant. */
const MAX_FINDINGS = 100_000;
const A_BATCH = 400;

/**
 * Looks at everything that nodes, edges, guards, copies and decision items say of each other, by Query and by key, a
 * partition at a time.
 *
 * @throws GatehouseError as the service fails; `limit_exceeded` when more is wrong than can be told
 */
export async function verify(options: VerifyOptions): Promise<Verified> {
  const repaired = new Map<string, Finding>();
  for (let round = 1; ; round++) {
    const walk = createRound(options);
    const result = await walk.run();
    for (const finding of walk.repaired) repaired.set(identityOf(finding), finding);
    // What was wrong because of something else may be right by now; so all is looked at again.
    if (walk.repaired.length > 0 && round < MAX_ROUNDS) continue;
    const open = [...result.open].sort(byDanger);
    for (const finding of open) repaired.delete(identityOf(finding));
    return { ...result, open, repaired: [...repaired.values()].sort(byDanger) };
  }
}

function createRound({
  reader,
  clock,
  tenant,
  repair,
  graceMs = 1_000,
  rate,
  width = 8,
  onProgress,
}: VerifyOptions) {
  const open = new Map<string, Finding>();
  const repaired: Finding[] = [];
  /** Decision items to be made anew once all that they are made from is right. */
  const damagedDecisions = new Map<string, { readonly key: Key; readonly findings: Finding[] }>();
  const unlisted: Ref[] = [];
  const seenUnlisted = new Set<string>();
  /** Partitions of what no list names: the APIs that routes are of, and the patterns that roles hold. */
  const unnamed = new Map<string, Ref>();
  const counts = { partitions: 0, items: 0, reads: 0 };
  const begun = clock.now();

  async function spend(reads: number): Promise<void> {
    counts.reads += reads;
    if (rate === undefined) return;
    const ahead = (counts.reads / rate) * 1_000 - (clock.now() - begun);
    if (ahead > 0) await sleep(ahead);
  }

  const report = (finding: Finding): void => {
    if (open.size >= MAX_FINDINGS)
      throw new GatehouseError(
        'limit_exceeded',
        `more than ${MAX_FINDINGS} findings: is this the right table?`,
      );
    open.set(identityOf(finding), finding);
  };

  function relationsOf(item: Item): readonly Relation[] {
    const now = clock.now();
    const parsed = parseKey(item);
    if (parsed?.form === 'log' || parsed?.form === 'operation' || isExpired(item, now)) return [];
    if (parsed?.form === 'guard') return guardRelations(item);
    if (parsed?.form === 'decision' || parsed?.form === 'owned-effects') return decisionRelations(item, now);
    const node = nodeAt(item);
    if (node) return [...nodeRelations(item, now), ...factRelations(item, now)];
    const to = otherEnd(item);
    if (item.Type === 'Ownership' && to) return [copyRelation({ PK: item.PK, SK: item.SK }, to, now)];
    if (item.Type === 'RouteRule' && to && parsed?.form === 'edge') return [ruleRelation(to, parsed.id)];
    return [...edgeRelations(item), ...(isAtHome(item) ? factRelations(item, now) : [])];
  }

  /** What these items are part of, judged over them and what else it takes; what looks wrong is looked at again. */
  async function look(items: readonly Item[]): Promise<void> {
    counts.items += items.length;
    const known = new Map<string, Found>(items.map((item) => [identity(item), item]));
    const relations = new Map<string, Relation>();
    for (const item of items) {
      for (const relation of relationsOf(item)) {
        const other = relations.get(relation.name);
        if (!other || (other.glance && !relation.glance)) relations.set(relation.name, relation);
      }
      for (const ref of unnamedBy(item)) unnamed.set(formatRef(ref), ref);
    }
    const all = [...relations.values()];
    const wanted = new Map<string, Key>();
    for (const { glance, keys } of all) {
      for (const key of glance?.keys ?? keys) if (!known.has(identity(key))) wanted.set(identity(key), key);
    }
    const missing = [...wanted.values()];
    for (let start = 0; start < missing.length; start += A_BATCH) {
      const some = missing.slice(start, start + A_BATCH);
      const found = await reader.getMany(some);
      for (const [n, key] of some.entries()) known.set(identity(key), found[n]);
      for (const item of found) if (item) noteUnlisted(item);
      await spend(some.length);
    }
    const at = (keys: readonly Key[]) => keys.map((key) => known.get(identity(key)));
    const suspects = all.filter(({ glance, keys, judge }) =>
      glance ? !glance.isFine(at(glance.keys)) : judge(at(keys)).length > 0,
    );
    if (suspects.length === 0) return;
    await sleep(graceMs);
    for (const suspect of suspects) await settle(suspect);
  }

  /** A node that its list does not name is come upon by what hangs on it, or leads to it. */
  function noteUnlisted(item: Item): void {
    const node = nodeAt(item);
    if (!node) return;
    const wrong = indexDamage(node.kind, node.ref, item);
    if (!('GSI1PK' in wrong || 'GSI1SK' in wrong)) return;
    if (seenUnlisted.has(formatRef(node.ref))) return;
    seenUnlisted.add(formatRef(node.ref));
    unlisted.push(node.ref);
  }

  /** What is still wrong when all of it is read at one instant, reported or put right. */
  async function settle(relation: Relation): Promise<void> {
    for (let tries = 1; ; tries++) {
      const items = await reader.getSnapshot(relation.keys);
      await spend(relation.keys.length * 2);
      const faults = relation.judge(items);
      const written: Fault[] = [];
      for (const fault of faults) {
        const finding = toFinding(fault);
        if (fault.repair === 'rebuild') {
          const { key } = fault;
          const known = damagedDecisions.get(identity(key)) ?? { key, findings: [] };
          known.findings.push(finding);
          damagedDecisions.set(identity(key), known);
        }
        if (repair && fault.repair && fault.repair !== 'rebuild') written.push(fault);
        else report(finding);
      }
      if (!repair || written.length === 0) return;
      const actions = unite(written);
      try {
        await write(guarded(relation.keys, items, actions), written.map(toFinding));
        return;
      } catch (error) {
        if (!isStale(error)) throw error;
        if (tries < MAX_TRIES) continue;
        for (const fault of written) report(toFinding(fault));
        return;
      }
    }
  }

  /** Repairs in one transaction with their audit record. */
  async function write(actions: readonly Action[], findings: readonly Finding[]): Promise<void> {
    if (!repair) return;
    const writtenAt = clock.now();
    const now = new Date(writtenAt).toISOString();
    const [first] = findings;
    const parsed = first && parseKey(first.key);
    const entity =
      parsed && 'type' in parsed
        ? { type: parsed.type, id: parsed.id }
        : { type: 'guard', id: String(first?.key.PK) };
    const id = repair.newId();
    const record = auditRecord(
      {
        entity,
        details: {
          findings: findings.map(({ code, key, attribute, expected }) => ({
            code,
            key,
            attribute,
            expected,
          })),
        },
      },
      {
        id,
        now,
        writtenAt,
        command: 'verify.repair',
        operationId: id,
        event: { actor: repair.actor ?? 'verify' },
        step: undefined,
      },
    );
    await repair.writer.send(stampedAt([...actions, record], writtenAt));
    repaired.push(...findings);
  }

  async function makeAnew(key: Key, findings: readonly Finding[]): Promise<void> {
    for (let tries = 1; repair; tries++) {
      const before = await reader.get(key);
      try {
        const item = await rebuild(reader, key, before);
        if (!item) return;
        if (before && canonical(withoutStamp(before)) === canonical(withoutStamp(item))) {
          // What it is made from was put right: so is the item itself.
          if (typeof before[Attribute.writtenAt] === 'number') {
            for (const finding of findings) open.delete(identityOf(finding));
            return;
          }
        }
        const failure = () =>
          new GatehouseError('stale', `${key.PK} / ${key.SK} was changed by someone else meanwhile`);
        await write([{ kind: 'put', item, when: asRead(before), failure }], findings);
        for (const finding of findings) open.delete(identityOf(finding));
        return;
      } catch (error) {
        // What it would be made from is damaged itself: that finding is open, and so is this one.
        if (error instanceof GatehouseError && (error.code === 'damaged_item' || error.code === 'invalid'))
          return;
        if (!isStale(error)) throw error;
        if (tries === MAX_TRIES) return;
      }
    }
  }

  async function partition(ref: Ref): Promise<void> {
    const name = attempt(() => partitionOf(ref));
    if (name === undefined) return;
    counts.partitions += 1;
    for await (const items of pagesOf(reader, { ranges: [{ partition: name }] })) {
      await spend(items.length);
      await look(items);
    }
    onProgress?.({ ...counts, findings: open.size });
  }

  /** Several partitions at a time. */
  async function along(refs: AsyncIterable<Ref>): Promise<void> {
    const iterator = refs[Symbol.asyncIterator]();
    const worker = async () => {
      for (let next = await iterator.next(); !next.done; next = await iterator.next())
        await partition(next.value);
    };
    await Promise.all(Array.from({ length: width }, worker));
  }

  async function run(): Promise<Progress & { readonly open: readonly Finding[] }> {
    await along(tenant ? inOneTenant(reader, tenant) : everything(reader));
    if (!tenant) {
      for (const ref of unnamed.values()) await partition(ref);
      for await (const keys of guardKeys(reader)) {
        const guards = await reader.getMany(keys);
        await spend(2 * keys.length);
        await look(guards.filter((item) => item !== undefined));
      }
    }
    for (let ref = unlisted.shift(); ref; ref = unlisted.shift()) await partition(ref);
    for (const { key, findings } of damagedDecisions.values()) await makeAnew(key, findings);
    return { ...counts, findings: open.size, open: [...open.values()] };
  }

  return { run, repaired };
}

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const isStale = (error: unknown): boolean => error instanceof GatehouseError && error.code === 'stale';

const withoutStamp = ({ [Attribute.writtenAt]: _, ...item }: Item) => item;

/** What has a partition and no node: the API of a route, the patterns of roles. */
function unnamedBy(item: Item): readonly Ref[] {
  if (item.Type === 'Route' && typeof item.api === 'string') return [apiRef(item.api)];
  const parsed = parseKey(item);
  const pattern = (id: string): readonly Ref[] =>
    isPermissionPattern(id) ? [{ type: 'permission', id }] : [];
  if (parsed?.form === 'edge' && parsed.type === 'role') return parsed.to.flatMap(({ id }) => pattern(id));
  if (parsed?.form !== 'decision') return [];
  return Object.keys(item).flatMap((name) => {
    const [kind, , id] = splitAttribute(name);
    return kind === 'wild' && id !== undefined ? pattern(id) : [];
  });
}

/** Facts of an edge are looked at from the partition of its subject, its group, its role. */
function isAtHome(item: Item): boolean {
  const key = parseKey(item);
  const type = key?.form === 'edge' ? key.type : undefined;
  if (item.Type === 'GroupRole') return type === 'group';
  if (item.Type === 'RolePermission') return type === 'role';
  return type === 'user' || type === 'technical-user';
}

/** The writes of several faults of one relation: one for each item. */
function unite(faults: readonly Fault[]): readonly Action[] {
  const puts = new Map<string, Action>();
  const updates: Action[] = [];
  for (const { repair } of faults) {
    for (const action of Array.isArray(repair) ? (repair as readonly Action[]) : []) {
      if (action.kind === 'update')
        updates.push(action.add?.rev === 1 ? { ...action, add: { ...action.add, rev: 1 } } : action);
      else puts.set(identity(action.kind === 'put' ? action.item : action.key), action);
    }
  }
  const merged = mergeActions(updates).map((action): Action => {
    if (action.kind !== 'update' || action.add?.rev === undefined) return action;
    // Set and counted at once is no expression that DynamoDB takes.
    const { rev: _, ...rest } = action.add;
    return { ...action, add: action.set?.rev === undefined ? { ...rest, rev: 1 } : rest };
  });
  return [...puts.values(), ...merged];
}
