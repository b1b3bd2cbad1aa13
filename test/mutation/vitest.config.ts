import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The unit tests that bear on the files that are mutated, those that kill most in the least time first. */
const TESTS = [
  ...['decide', 'effective-roles', 'permission-effects', 'validity', 'item-cache', 'load', 'time'],
  ...['kept-decisions', 'outage', 'memos', 'consistency', 'sharing', 'staleness'],
  ...['prefetch-recalled', 'prefetch-given', 'coherence', 'faults', 'conditions/engine'],
]
  .map((name) => `test/engine/${name}.test.ts`)
  .concat(['glob', 'compile', 'cells'].map((name) => `test/authorizer/policies/${name}.test.ts`))
  .concat(
    ['merge', 'sequence', 'decision-round-trip', 'memory-table', 'conformance'].map(
      (name) => `test/table/${name}.test.ts`,
    ),
  );

/** A mutant is done with the first test that fails. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => TESTS.findIndex((name) => moduleId.endsWith(name));
    return [...files].sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: TESTS,
    globalSetup: ['test/support/no-engine.ts'],
    setupFiles: ['test/support/no-process.ts', 'test/mutation/setup.ts'],
    isolate: false,
    sequence: { sequencer: InOrder },
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
