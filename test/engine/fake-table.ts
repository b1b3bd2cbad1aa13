import { createEngine, type EngineOptions } from '../../engine/index.ts';
import { groupAttribute, roleAttribute } from '../../table/decision/attributes.ts';
import { FORMS } from '../../table/form.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, globalKey, type Key } from '../../table/keys.ts';
import type { ReadNotes } from '../../table/reader.ts';
import { createClock } from '../support/world.ts';

/** A read as it left the engine, answered when the test says so, with the items as they stood when it began. */
export interface Read {
  readonly keys: readonly string[];
  readonly answer: () => void;
  readonly fail: (error: Error) => void;
}

const nameOf = ({ PK, SK }: Key): string => `${PK} / ${SK}`;

/** A table in memory under the engine, with a hand on the time at which each read is answered. */
function createFakeTable() {
  const items = new Map<string, Item>();
  const reads: Read[] = [];
  const clock = createClock();
  let isBlocked = false;
  let writes = 0;

  const getMany = (keys: readonly Key[], notes?: ReadNotes): Promise<readonly (Item | undefined)[]> =>
    new Promise((resolve, reject) => {
      const found = keys.map((key) => items.get(nameOf(key)));
      const answer = () => {
        if (notes) notes.calls += 1;
        if (notes?.units !== undefined) notes.units += keys.length;
        resolve(found);
      };
      const read = { keys: keys.map(nameOf), answer, fail: reject };
      reads.push(read);
      if (!isBlocked) read.answer();
    });

  /** Writes the decision item of a node; its previous content is gone. */
  const put = (key: Key, attributes: Readonly<Record<string, unknown>>) =>
    items.set(nameOf(key), {
      ...key,
      Type: 'Decision',
      v: FORMS.usual,
      // Written long ago by default: an item written within the margin is read more than once.
      writtenAt: clock.now() - 3_600_000,
      writeId: `write-${++writes}`,
      ...attributes,
    });

  return {
    clock,
    reads,
    getMany,
    put,
    remove: (key: Key) => items.delete(nameOf(key)),
    /** From now on reads wait for their answer or failure. */
    hold: () => {
      isBlocked = true;
    },
    /** They are answered at once again. */
    letGo: () => {
      isBlocked = false;
    },
    newEngine: (options: Partial<EngineOptions> = {}) =>
      createEngine({
        reader: { getMany, getSnapshot: getMany },
        clock,
        random: () => 0,
        wait: clock.wait,
        ...options,
      }),
  };
}

const ulid = (letter: string, n = 0): string => `01J8Z0E2Z8D2A3J7A7Y2H${letter}${String(n).padStart(4, '0')}`;
export const userRef = (n: number): Ref => ({ type: 'user', id: ulid('A', n) });
export const PLACE: Ref = { type: 'location', id: ulid('B') };
export const ELSEWHERE: Ref = { type: 'location', id: ulid('C') };
export const PAGE: Ref = { type: 'page', id: 'dashboard' };

export const GRANTED = { status: 'active', groups: new Set(['teachers']) };
export const REVOKED = { status: 'active' };

/** A place whose teachers may see the dashboard; user 0 is a teacher. */
export function createSchool() {
  const table = createFakeTable();
  table.put(decisionKey(PLACE), { status: 'active', [groupAttribute('teachers')]: new Set(['teacher']) });
  table.put(decisionKey(PAGE), { registered: true, allow: new Set(['teacher']) });
  table.put(globalKey(), { [roleAttribute('teacher')]: '' });
  table.put(decisionKey(userRef(0)), GRANTED);
  const ask = (engine: ReturnType<typeof table.newEngine>, n = 0) =>
    engine.check(formatRef(userRef(n)), 'dashboard', formatRef(PLACE));
  return {
    ...table,
    ask,
    putUser: (n: number, attributes: object) => table.put(decisionKey(userRef(n)), { ...attributes }),
  };
}
