import { createEngine } from '../engine/index.ts';
import { DECISION_VERSION, groupAttribute, roleAttribute } from '../table/decision/attributes.ts';
import type { Item } from '../table/item.ts';
import { decisionKey, globalKey, type Key } from '../table/keys.ts';
import budgets from './budgets.json' with { type: 'json' };

/**
 * `npm run memory`: a million users, each seen once, through one engine whose cache is bounded. What the process
 * holds afterwards must stay near that bound. Needs `--expose-gc`.
 */
const { users, boundBytes, heapBytes } = budgets.memory;
const gc = (globalThis as { gc?: () => void }).gc;
if (!gc) throw new Error('run this with --expose-gc');

const PLACE = { type: 'location', id: '01J8X2W3Y4Z5A6B7C8D9E0F1G2' };
const GROUPS = ['g1', 'g2', 'g3', 'g4', 'g5'];
const fixed = new Map<string, Record<string, unknown>>([
  [decisionKey(PLACE).PK, { status: 'active', [groupAttribute('g1')]: new Set(['reader']) }],
  [decisionKey({ type: 'page', id: 'home' }).PK, { registered: true, allow: new Set(['reader']) }],
  [globalKey().PK, { [roleAttribute('reader')]: '' }],
]);
/** Every user exists, in five groups. */
const itemAt = (key: Key): Item | undefined => {
  const facts = fixed.get(key.PK) ?? { status: 'active', groups: new Set(GROUPS) };
  if (key.SK !== 'DECISION') return undefined;
  return { ...key, Type: 'Decision', v: DECISION_VERSION, writtenAt: 1, ...facts };
};
const getMany = async (keys: readonly Key[]) => keys.map(itemAt);

const engine = createEngine({
  reader: { getMany, getSnapshot: getMany },
  clock: { now: () => 1_000_000 },
  maxBytes: boundBytes,
});
const heapUsed = (): number => {
  gc();
  return process.memoryUsage().heapUsed;
};

const before = heapUsed();
let allowed = 0;
for (let n = 0; n < users; n++) {
  const id = `01J8Z0E2Z8${String(n).padStart(16, '0')}`;
  const { allowed: isAllowed } = await engine.check(`user:${id}`, 'home', `location:${PLACE.id}`);
  if (isAllowed) allowed += 1;
}
const held = heapUsed() - before;
// Asked once more, so that the engine is still there when it is measured.
await engine.check('user:nobody', 'home', `location:${PLACE.id}`);
const holds = held <= heapBytes && allowed === users;
const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`;
console.log(
  `${holds ? 'ok    ' : 'BROKEN'} ${allowed} users allowed, cache bounded at ${megabytes(boundBytes)}, ` +
    `heap grew by ${megabytes(held)}, budget ${megabytes(heapBytes)}`,
);
process.exitCode = holds ? 0 : 1;
