import { limitExceeded, notFound } from '../../table/errors.ts';
import { isNewer } from '../../table/form.ts';
import { groupBy } from '../../table/group-by.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { identityOf, type Key, parseKey, partitionOf } from '../../table/keys.ts';
import { batchesOf } from '../../table/reader.ts';
import { nodeAt } from '../commands/node-kinds.ts';
import { inTurns } from '../in-turns.ts';
import { pagesOf } from '../list-pages.ts';
import { decisionFaults } from './decisions.ts';
import { scopesAround } from './derive.ts';
import { explained } from './explained.ts';
import { type Finding, findingId } from './finding.ts';
import { type Gathered, gather, holdsDecisions } from './gather.ts';
import { checkLog } from './logs.ts';
import { usesInLog } from './mandate-uses.ts';
import { indexDamage } from './node-damage.ts';
import { relationsOf, unnamedBy } from './of-item.ts';
import type { Checkpoint, Progress, VerifyOptions } from './options.ts';
import { settleDecisions } from './rebuild.ts';
import { attempt, type Fault, type Found, guarded, MAX_TRIES, type Relation, toFinding } from './relation.ts';
import { createRepairs, type DamagedItem, isRaced, unite } from './repairs.ts';
import { createPace, sleep, walkOver } from './walk.ts';

/** With more findings than this it is probably the wrong table. */
const MAX_FINDINGS = 100_000;
/** Keys of one reading, and items that are looked at together: what several of them name is read once. */
const A_BATCH = 400;
const AT_ONCE = 800;

/** Of one walk: what those before it have come to goes into checkpoints. */
export interface RoundOptions extends Omit<VerifyOptions, 'from' | 'onCheckpoint' | 'repair'> {
  readonly repair: VerifyOptions['repair'] | undefined;
  readonly from: Checkpoint | undefined;
  readonly onCheckpoint: ((checkpoint: Omit<Checkpoint, 'round' | 'repairedBefore'>) => void) | undefined;
}

/** One walk over the table. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one walk: its queue, findings and checkpoint share one state.
export function createRound({
  reader,
  clock,
  tenant,
  repair,
  graceMs = 1_000,
  rate,
  width = 32,
  logs: withLogs = true,
  onProgress,
  from,
  onCheckpoint,
}: RoundOptions) {
  const open = new Map((from?.open ?? []).map((finding) => [findingId(finding), finding]));
  const repairs = repair && createRepairs({ reader, clock, repair });
  /** Decision items to rebuild once their sources are repaired. */
  const damagedDecisions = new Map<string, DamagedItem>(
    (from?.damaged ?? []).map(({ key, findings }) => [identityOf(key), { key, findings: [...findings] }]),
  );
  const unlisted = byRef(from?.unlisted);
  /** Partitions of what no list names: the APIs that routes are of, and the patterns that roles hold. */
  const unnamed = byRef(from?.unnamed);
  /** Whose logs there are: roots of scopes. */
  const logs = byRef(from?.logs);
  const counts = { partitions: from?.partitions ?? 0, items: from?.items ?? 0, reads: 0 };
  const pace = createPace(clock, rate);

  async function spend(reads: number): Promise<void> {
    counts.reads += reads;
    await pace(counts.reads);
  }

  const report = (finding: Finding): void => {
    if (open.size >= MAX_FINDINGS)
      throw limitExceeded(`more than ${MAX_FINDINGS} findings: is this the right table?`);
    open.set(findingId(finding), finding);
  };

  /** Keeps a fault that is there for certain, if it is not to be repaired here and now. */
  function note(fault: Fault): void {
    const finding = toFinding(fault);
    report(finding);
    if (fault.repair !== 'rebuild') return;
    const { key } = fault;
    const known = damagedDecisions.get(identityOf(key)) ?? { key, findings: [] };
    known.findings.push(finding);
    damagedDecisions.set(identityOf(key), known);
  }

  /** Checks the relations of these items, and the decision items of these partitions. Suspects are read again. */
  async function look(items: readonly Item[], gathered: readonly Gathered[]): Promise<void> {
    counts.items += items.length;
    const known = new Map<string, Found>(items.map((item) => [identityOf(item), item]));
    const relations = new Map<string, Relation>();
    for (const item of items) {
      for (const relation of relationsOf(item, clock.now())) {
        const other = relations.get(relation.name);
        if (!other || keysOf(other).length < keysOf(relation).length) relations.set(relation.name, relation);
      }
      for (const ref of unnamedBy(item)) unnamed.set(formatRef(ref), ref);
      noteLog(item);
    }
    const all = [...relations.values()];
    const wanted = new Map<string, Key>();
    for (const key of [...all.flatMap(keysOf), ...gathered.flatMap(scopesAround)])
      if (!known.has(identityOf(key))) wanted.set(identityOf(key), key);
    for (const some of batchesOf([...wanted.values()], A_BATCH)) {
      const found = await reader.getMany(some);
      for (const [n, key] of some.entries()) known.set(identityOf(key), found[n]);
      for (const item of found) if (item) noteUnlisted(item);
      await spend(some.length);
    }
    const at = (keys: readonly Key[]) => keys.map((key) => known.get(identityOf(key)));
    const suspects = all.filter(({ glance, keys, judge }) =>
      glance ? !glance.isFine(at(glance.keys)) : judge(at(keys)).length > 0,
    );
    if (suspects.length > 0) await sleep(graceMs);
    for (const suspect of suspects) await settle(suspect);
    const find = (key: Key): Found => known.get(identityOf(key));
    for (const each of gathered) {
      if (decisionFaults(each, { find }, clock.now()).length === 0) continue;
      for (const fault of await settleDecisions({ reader, clock, spend }, each.ref, each.stored)) note(fault);
    }
  }

  function noteLog(item: Item): void {
    const node = nodeAt(item);
    if (node && item.root === formatRef(node.ref)) logs.set(formatRef(node.ref), node.ref);
  }

  /** A node that is missing in its list is found by items that name it. */
  function noteUnlisted(item: Item): void {
    const node = nodeAt(item);
    if (!node || isNewer(item)) return;
    const wrong = indexDamage(node.kind, node.ref, item);
    if ('GSI1PK' in wrong || 'GSI1SK' in wrong) unlisted.set(formatRef(node.ref), node.ref);
  }

  /** Reports or repairs what is wrong in a snapshot. */
  async function settle(relation: Relation): Promise<void> {
    for (let tries = 1; ; tries++) {
      const items = await reader.getSnapshot(relation.keys);
      await spend(relation.keys.length * 2);
      const faults = relation.judge(items);
      const written: Fault[] = [];
      for (const fault of faults) {
        if (repairs && fault.repair && fault.repair !== 'rebuild') written.push(fault);
        else note(fault);
      }
      if (!repairs || written.length === 0) return;
      const actions = unite(written);
      try {
        await repairs.write(guarded(relation.keys, items, actions), written.map(toFinding));
        return;
      } catch (error) {
        if (!isRaced(error)) throw error;
        if (tries < MAX_TRIES) continue;
        for (const fault of written) report(toFinding(fault));
        return;
      }
    }
  }

  /** Items that have been read and not been looked at. */
  let unseen: Item[] = [];
  /** Of partitions that have been read: their decision items are not compared. */
  let uncompared: Gathered[] = [];
  const looks = new Set<Promise<void>>();

  /** Looks at many items together, while others are being read. */
  async function take(items: readonly Item[]): Promise<void> {
    unseen.push(...items);
    if (unseen.length < AT_ONCE) return;
    // More than one at a time would only fill memory.
    await Promise.all(looks);
    if (unseen.length >= AT_ONCE) begin();
  }

  function begin(): void {
    const [items, gathered] = [unseen, uncompared];
    unseen = [];
    uncompared = [];
    const done = look(items, gathered).finally(() => looks.delete(done));
    // Who waits for it gets its error.
    done.catch(() => {});
    looks.add(done);
  }

  async function lookAtAll(): Promise<void> {
    begin();
    await Promise.all(looks);
  }

  async function partition(ref: Ref): Promise<void> {
    const name = attempt(() => partitionOf(ref));
    if (name === undefined) return;
    counts.partitions += 1;
    const pages = pagesOf(reader, { ranges: [{ partition: name }] });
    async function* taken() {
      for await (const items of pages) {
        await spend(items.length);
        await take(items);
        yield items;
      }
    }
    if (holdsDecisions(ref)) uncompared.push(await gather({ reader, spend }, ref, taken()));
    else for await (const _ of taken());
    onProgress?.({ ...counts, findings: open.size });
  }

  async function run(): Promise<Progress & { readonly open: readonly Finding[] }> {
    for await (const { refs, keys, next } of walkOver(reader, tenant, from?.place)) {
      await inTurns(refs, partition, width);
      for (const some of batchesOf(keys, A_BATCH)) {
        const found = await reader.getMany(some);
        await spend(2 * some.length);
        await take(found.filter((item) => item !== undefined));
      }
      await lookAtAll();
      if (next) onCheckpoint?.(stateAt(next));
    }
    // A mistyped tenant is not a clean one. A tenant whose node is lost still has other items.
    if (tenant && counts.items === 0) throw notFound('tenant', formatRef(tenant));
    const owners = tenant ? [tenant] : [undefined, ...logs.values()];
    for (const owner of withLogs ? owners : [])
      for (const each of await checkLog(reader, owner, clock.now(), spend)) report(toFinding(each));
    for (const owner of withLogs ? owners : [])
      if (owner)
        for await (const relation of usesInLog(reader, owner, clock.now(), spend)) await settle(relation);
    if (!tenant) await inTurns([...unnamed.values()], partition, width);
    await lookAtAll();
    // Those that are found meanwhile come after the others.
    for (const ref of unlisted.values()) {
      await partition(ref);
      await lookAtAll();
    }
    // What a newer form says is not known, and decision items are made from everything around.
    await leaveOutExplained();
    if (repairs && ![...open.values()].some(({ code }) => code === 'newer_form'))
      for (const [ref, items] of inPartitions([...damagedDecisions.values()]))
        for (const { findings } of await repairs.makeAnew(ref, items))
          for (const finding of findings) open.delete(findingId(finding));
    return { ...counts, findings: open.size, open: [...open.values()] };
  }

  /** An edge of which a copy is lost is one finding, and not another one of what was derived from that copy. */
  async function leaveOutExplained(): Promise<void> {
    const ids = await explained(reader, [...open.values()]);
    for (const id of ids) open.delete(id);
    for (const [name, { key, findings }] of damagedDecisions) {
      const left = findings.filter((finding) => !ids.has(findingId(finding)));
      if (left.length > 0) damagedDecisions.set(name, { key, findings: left });
      else damagedDecisions.delete(name);
    }
  }

  const stateAt = (place: Checkpoint['place']) => ({
    place,
    ...counts,
    findings: open.size,
    open: [...open.values()],
    repaired: repairs?.repaired ?? [],
    damaged: [...damagedDecisions.values()],
    unlisted: [...unlisted.values()],
    unnamed: [...unnamed.values()],
    logs: [...logs.values()],
  });

  return { run, repaired: repairs?.repaired ?? [] };
}

const byRef = (refs: readonly Ref[] = []) => new Map(refs.map((ref) => [formatRef(ref), ref]));

const keysOf = ({ glance, keys }: Relation): readonly Key[] => glance?.keys ?? keys;

/** Decision items by the node in whose partition they stand. */
function inPartitions(damaged: readonly DamagedItem[]): readonly (readonly [Ref, readonly DamagedItem[]])[] {
  return [...groupBy(damaged, ({ key }) => key.PK).values()].flatMap((some) => {
    const parsed = some[0] && parseKey(some[0].key);
    if (!parsed || !('id' in parsed) || !('type' in parsed)) return [];
    return [[{ type: parsed.type, id: parsed.id }, some] as const];
  });
}
