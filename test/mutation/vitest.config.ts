import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The unit tests that kill most in the least time. */
const FIRST = [
  ...[
    'rule/rule',
    'decide',
    'effective-roles',
    'permission-effects',
    'validity',
    'item-cache',
    'load',
    'time',
  ],
  ...['kept-decisions', 'outage', 'memos', 'consistency', 'sharing', 'staleness', 'token-groups'],
].map((name) => `test/engine/${name}.test.ts`);

/** A mutant is done with the first test that fails. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const position = FIRST.findIndex((name) => moduleId.endsWith(name));
      return position < 0 ? FIRST.length : position;
    };
    return [...files].sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: [
      'test/engine/{*,conditions/engine,rule/rule}.test.ts',
      'test/authorizer/policies/*.test.ts',
      'test/table/*.test.ts',
    ],
    exclude: ['**/*.integration.test.ts'],
    globalSetup: ['test/support/no-engine.ts'],
    setupFiles: ['test/support/no-process.ts', 'test/mutation/setup.ts'],
    isolate: false,
    sequence: { sequencer: InOrder },
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
