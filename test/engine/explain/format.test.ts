import { expect, test } from 'vitest';
import { type Explanation, formatExplanation } from '../../../engine/index.ts';
import { type Asked, createRuleWorld, type RuleWorld } from '../rule/world.ts';

/** The formatted explanation. */
const world: RuleWorld = await createRuleWorld();

test.each<[string, Asked]>([
  ['allow', { subject: 'hans', permission: 'doors:open:door', scope: 'Lighthouse' }],
  ['no-grant', { subject: 'carl', permission: 'doors:open:door', scope: 'Lighthouse' }],
  ['not-subscribed', { subject: 'hans', permission: 'hvac:set:climate', scope: 'Lighthouse' }],
])('%s', async (name, asked) => {
  const text = formatExplanation(await world.explain(asked));
  await expect(text).toMatchFileSnapshot(`golden/${name}.txt`);
});

/** Escape sequences that set or reset a colour. */
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');

test('every explanation is printable ASCII in at most 100 columns; colours are optional and change nothing else', async () => {
  const subjects = ['gina', 'carl', 'ada', 'mix', 'bart', 'erna', 'fred', 'nobody', 'user:x'];
  for (const subject of subjects) {
    for (const scope of ['Lighthouse', 'Mill', 'Strict', 'nowhere']) {
      const explanation = await world.explain({ subject, permission: 'doors:open:door', scope });
      const text = formatExplanation(explanation);
      expect(text).toMatch(/^[\x20-\x7e\n]*$/);
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
      const coloured = formatExplanation(explanation, { colours: true });
      expect(coloured).not.toBe(text);
      expect(coloured.replace(COLOUR, '')).toBe(text);
    }
  }
});

test('stored names cannot control the terminal or break the layout', async () => {
  const explanation = await world.explain({
    subject: 'hans',
    permission: `\u001b[2J${'x'.repeat(300)}`,
    scope: 'Lighthouse',
  });
  const evil: Explanation = {
    ...explanation,
    subject: {
      ref: String(world.ref.hans),
      name: `Zo\u00eb \u001b]0;owned\u0007 ${'long '.repeat(60)}\nALLOWED`,
    },
  };
  const text = formatExplanation(evil, { colours: false });
  expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  expect(text).toContain('Zo\\u{eb} \\u{1b}]0;owned\\u{7}');
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
});
