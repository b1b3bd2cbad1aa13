import { Attribute } from '../../table/decision/attributes.ts';
import { stampOf } from '../../table/decision/decode.ts';
import { stamped, touchDecision } from '../../table/decision/writes.ts';
import { GatehouseError, stale } from '../../table/errors.ts';
import { parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { identityOf, type Key, META, parseKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { mergeActions } from '../../table/write/merge.ts';
import { auditActions, counters } from '../audit.ts';
import { canonical } from '../canonical.ts';
import { textOf, touch } from '../nodes/nodes.ts';
import type { Finding } from './finding.ts';
import type { VerifyOptions } from './options.ts';
import { type Rebuilt, rebuild } from './rebuild.ts';
import { type Fault, MAX_TRIES, replacing } from './relation.ts';

interface RepairsOptions extends Pick<VerifyOptions, 'reader' | 'clock'> {
  readonly repair: NonNullable<VerifyOptions['repair']>;
}

/** A decision item to rebuild once its sources are repaired, and what is wrong with it. */
export interface DamagedItem {
  readonly key: Key;
  readonly findings: Finding[];
}

/** Keys of guards and names hold the value. */
const isOfValue = (key: Key): boolean => ['guard', 'name'].includes(String(parseKey(key)?.form));
const kindOf = ({ PK }: Key): string => PK.slice(0, PK.indexOf('#'));

/** What a record names for an item. */
function entityOf(key: Key): Ref {
  const parsed = parseKey(key);
  if (parsed?.form === 'mandate-uses') return { type: 'mandate', id: parsed.id };
  return parsed && 'type' in parsed
    ? { type: parsed.type, id: parsed.id }
    : { type: 'guard', id: kindOf(key) };
}

/** Repairs faults and collects their findings. */
export function createRepairs({ reader, clock, repair }: RepairsOptions) {
  const repaired: Finding[] = [];
  const nextCounter = counters(repair.newId);

  /** Repairs in one transaction with their audit record. */
  async function write(actions: readonly Action[], findings: readonly Finding[]): Promise<void> {
    const writtenAt = clock.now();
    const now = new Date(writtenAt).toISOString();
    const [first] = findings;
    const entity = first ? entityOf(first.key) : { type: 'guard', id: 'none' };
    const id = repair.newId();
    const records = auditActions(
      [
        {
          entity,
          details: {
            // No values: they may be personal, as the key of a guard is.
            findings: findings.map(({ code, key, attribute }) => ({
              code,
              key: isOfValue(key) ? { PK: kindOf(key), SK: META } : key,
              attribute,
            })),
          },
        },
      ],
      {
        newId: repair.newId,
        counter: nextCounter(),
        now,
        writtenAt,
        command: 'verify.repair',
        operationId: id,
        event: { actor: repair.actor ?? 'verify' },
        step: undefined,
      },
    );
    await repair.writer.send(stamped([...actions, ...records], { writtenAt, writeId: id }));
    repaired.push(...findings);
  }

  /** Rebuilds decision items of one partition. Answers which are right afterwards. */
  async function makeAnew(ref: Ref, damaged: readonly DamagedItem[]): Promise<readonly DamagedItem[]> {
    const right: DamagedItem[] = [];
    let left = damaged;
    for (let tries = 1; left.length > 0 && tries <= MAX_TRIES; tries++) {
      const rebuilt = await rebuild(
        reader,
        ref,
        left.map(({ key }) => key),
      );
      const raced: DamagedItem[] = [];
      for (const [n, each] of left.entries()) {
        const { before, item } = rebuilt[n] as Rebuilt;
        // Its sources are damaged: their findings stay open, and so does this one.
        if (!item) continue;
        // Its sources were repaired, which made the item right.
        const isRight = before && canonical(withoutStamp(before)) === canonical(withoutStamp(item));
        try {
          if (!isRight || !stampOf(before)) {
            await write([replacing(before, item), ...signsOf(each.key, item)], each.findings);
          }
          right.push(each);
        } catch (error) {
          if (!isRaced(error)) throw error;
          raced.push(each);
        }
      }
      left = raced;
    }
    return right;
  }

  return { repaired, write, makeAnew };
}

/** Whether an item has changed since it was read, be it to a newer form. */
export const isRaced = (error: unknown): boolean =>
  error instanceof GatehouseError && (error.code === 'stale' || error.code === 'newer_form');

/**
 * What every other change of what stands apart writes as well: migrations, and whoever follows the scope, go by it that
 * nothing has changed (ADR 0003).
 */
function signsOf(key: Key, item: Item): readonly Action[] {
  const parsed = parseKey(key);
  const failure = () => stale(`${key.PK} / ${key.SK}`);
  if (parsed?.form === 'memberships')
    return [{ ...touch({ type: parsed.type, id: parsed.id }, 'subject'), failure }];
  if (parsed?.form !== 'decision' || parsed.type !== 'group') return [];
  return [{ ...touchDecision(parseRef(textOf(item, Attribute.scopeOfGroup), 'scope')), failure }];
}

const withoutStamp = ({ [Attribute.writtenAt]: _, [Attribute.writeId]: __, ...item }: Item) => item;

/** The writes of several faults of one relation: one for each item. */
export function unite(faults: readonly Fault[]): readonly Action[] {
  const puts = new Map<string, Action>();
  const updates: Action[] = [];
  for (const { repair } of faults) {
    for (const action of Array.isArray(repair) ? (repair as readonly Action[]) : []) {
      if (action.kind === 'update') updates.push(action);
      else puts.set(identityOf(action.kind === 'put' ? action.item : action.key), action);
    }
  }
  const merged = mergeActions(updates).map((action): Action => {
    if (action.kind !== 'update' || action.add?.rev === undefined) return action;
    // DynamoDB refuses to set and add one attribute in one update.
    const { rev: _, ...rest } = action.add;
    return { ...action, add: action.set?.rev === undefined ? { ...rest, rev: 1 } : rest };
  });
  return [...puts.values(), ...merged];
}
