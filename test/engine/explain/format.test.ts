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
