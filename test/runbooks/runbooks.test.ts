import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, textOf } from '../documents/documents.ts';
import { FAULTS } from '../faults/faults.ts';

describe('each runbook', () => {
  const RUNBOOKS = readdirSync(join(ROOT, 'docs/runbooks')).filter((name) => name !== 'index.md');

  test.each(RUNBOOKS)('%s is in the index, and ends with how to know that it is over', (name) => {
    expect(textOf('docs/runbooks/index.md')).toContain(`(${name})`);
    const headings = [...textOf(`docs/runbooks/${name}`).matchAll(/^## (.*)$/gm)].map(
      ([, heading]) => heading,
    );
    expect(headings).toEqual(['How it shows', 'What to do', 'How to know that it is over']);
  });

  test('of a fault exists', () => {
    expect(FAULTS.filter(({ runbook }) => !RUNBOOKS.includes(runbook))).toEqual([]);
  });
});
