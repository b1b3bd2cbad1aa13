import { describe, expect, test } from 'vitest';
import { DECISION_FAULTS } from './decisions.ts';
import { DOORS } from './doors.ts';
import { EXHAUSTION_FAULTS } from './exhaustion.ts';
import type { Kind } from './fault.ts';
import { IDENTITY_FAULTS } from './identity.ts';
import { KEPT_ANSWERS } from './kept-answers.ts';
import { LIST_FAULTS } from './lists.ts';
import { REQUEST_FAULTS } from './requests.ts';
import { SECRET_FAULTS } from './secrets.ts';
import { TOKEN_FAULTS } from './tokens.ts';

/** The faults that others published, each at every door of ours that takes an input of its shape. */
const KINDS: readonly Kind[] = [
  KEPT_ANSWERS,
  DECISION_FAULTS,
  LIST_FAULTS,
  EXHAUSTION_FAULTS,
  TOKEN_FAULTS,
  REQUEST_FAULTS,
  IDENTITY_FAULTS,
  SECRET_FAULTS,
];
const FAULTS = KINDS.flatMap(({ faults }) => faults);
const doorsOf = ({ at }: (typeof FAULTS)[number]) => DOORS.filter((door) => at[door]);

describe.each(KINDS)('$title', ({ faults }) => {
  describe.each(faults.map((fault) => [fault.ids.join(', '), fault] as const))('%s', (_, fault) => {
    for (const door of doorsOf(fault)) test(`at the ${door}`, fault.at[door]);
    if (doorsOf(fault).length === 0)
      test('cannot apply, and the page says why', () => expect(fault.answer).toMatch(/^It cannot apply: /));
  });
});

const COUNT = {
  published: new Set(FAULTS.flatMap(({ ids }) => ids)).size,
  shapes: FAULTS.length,
  tests: FAULTS.flatMap(doorsOf).length,
};
const COUNTED = `${COUNT.published} faults of ${COUNT.shapes} shapes, in ${COUNT.tests} tests at ${DOORS.length} doors`;

const PAGE = `# Faults that others published

Authorization engines, token libraries and gateways publish their faults. For each one we ask whether Gatehouse answers the
same shape of input right. A test asks it at every door that takes such an input
(\`npx vitest run --project unit test/known-faults\`): ${COUNTED}. The files of
[test/known-faults](../../test/known-faults/known-faults.test.ts) name each one as it was published, and say what went wrong
there, and what happens here. They concern

${KINDS.map(({ title, faults }) => `- ${title}: ${new Set(faults.flatMap(({ ids }) => ids)).size}`).join('\n')}
`;

test(`${COUNTED}, are what docs/internals/known-faults.md shows`, async () => {
  console.log(`known faults: ${COUNTED}`);
  // Written anew by vitest's -u.
  await expect(PAGE).toMatchFileSnapshot('../../docs/internals/known-faults.md');
});
