import { Attribute } from '../../table/decision/attributes.ts';
import { stampOf } from '../../table/decision/decode.ts';
import { stamped } from '../../table/decision/writes.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { type Key, parseKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { mergeActions } from '../../table/write/merge.ts';
import { auditRecord } from '../audit.ts';
import type { Finding } from './finding.ts';
import type { VerifyOptions } from './options.ts';
import { rebuild } from './rebuild.ts';
import { asRead, canonical, type Fault, identity } from './relation.ts';

/** How often a repair is tried that somebody else's change came before. */
export const MAX_TRIES = 5;

interface RepairsOptions extends Pick<VerifyOptions, 'reader' | 'clock'> {
  readonly repair: NonNullable<VerifyOptions['repair']>;
}

/** Puts right what is found wrong, and keeps what was. */
export function createRepairs({ reader, clock, repair }: RepairsOptions) {
  const repaired: Finding[] = [];

  /** Repairs in one transaction with their audit record. */
  async function write(actions: readonly Action[], findings: readonly Finding[]): Promise<void> {
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
    await repair.writer.send(stamped([...actions, record], { writtenAt, writeId: id }));
    repaired.push(...findings);
  }

  /** Makes a decision item anew; whether what was found wrong with it is right then. */
  async function makeAnew(key: Key, findings: readonly Finding[]): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      const before = await reader.get(key);
      try {
        const item = await rebuild(reader, key, before);
        if (!item) return false;
        if (before && canonical(withoutStamp(before)) === canonical(withoutStamp(item))) {
          // What it is made from was put right: so is the item itself.
          if (stampOf(before)) return true;
        }
        const failure = () =>
          new GatehouseError('stale', `${key.PK} / ${key.SK} was changed by someone else meanwhile`);
        await write([{ kind: 'put', item, when: asRead(before), failure }], findings);
        return true;
      } catch (error) {
        // What it would be made from is damaged itself: that finding is open, and so is this one.
        if (error instanceof GatehouseError && (error.code === 'damaged_item' || error.code === 'invalid'))
          return false;
        if (!isStale(error)) throw error;
        if (tries === MAX_TRIES) return false;
      }
    }
  }

  return { repaired, write, makeAnew };
}

export const isStale = (error: unknown): boolean => error instanceof GatehouseError && error.code === 'stale';

const withoutStamp = ({ [Attribute.writtenAt]: _, [Attribute.writeId]: __, ...item }: Item) => item;

/** The writes of several faults of one relation: one for each item. */
export function unite(faults: readonly Fault[]): readonly Action[] {
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
