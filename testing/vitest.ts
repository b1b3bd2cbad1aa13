import { expect } from 'vitest';
import { type GatehouseMatchers, matchers } from './matchers.ts';

/** Adds the matchers to Vitest: `import 'gatehouse-authz/testing/vitest'` in a test file or a setup file. */
expect.extend(matchers);

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: all declarations of an interface have the same parameters
  interface Matchers<T = any> extends GatehouseMatchers<T> {}
}
