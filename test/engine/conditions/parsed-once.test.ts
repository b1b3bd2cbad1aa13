import { beforeAll, expect, test } from 'vitest';
import { usesOf } from '../../../engine/condition-outcomes.ts';
import { loadCel } from '../../../engine/conditions/load.ts';
import type { ConditionalEffect } from '../../../table/decision/items.ts';

beforeAll(loadCel);

/** A new effect each time, as of an item that is read again. What a parsed expression uses is one list of its own. */
const parsedOf = (when: string) => usesOf({ effect: 'ALLOW', when });

test('an expression is parsed once, whichever effects have it and however often they are read', () => {
  const first = parsedOf('context.ip == "10.0.0.1"');
  expect(first).toEqual(['context.ip']);
  expect(parsedOf(['context.ip', '"10.0.0.1"'].join(' == '))).toBe(first);
});

test('without an effect only those stay parsed that were used last', () => {
  const [often, once] = ['context.path == "/often"', 'context.path == "/once"'];
  const before = [parsedOf(often), parsedOf(once)];
  for (let n = 0; n < 1_000; n++) {
    parsedOf(`context.path == "/${n}${'-'.repeat(100)}"`);
    parsedOf(often);
  }
  expect(parsedOf(often)).toBe(before[0]);
  expect(parsedOf(once)).not.toBe(before[1]);
});

test('those of one decision stay parsed, however long they are together', () => {
  const effects = Array.from(
    { length: 400 },
    (_, n): ConditionalEffect => ({ effect: 'ALLOW', when: `context.path == "/${n}${'-'.repeat(900)}"` }),
  );
  const before = effects.map(usesOf);
  for (const [position, uses] of effects.map(usesOf).entries()) expect(uses).toBe(before[position]);
});
