import { expect } from '@jest/globals';
import { type GatehouseMatchers, matchers } from './matchers.ts';

/** Adds the matchers to Jest: `import 'gatehouse-authz/testing/jest'` in a test file or a setup file. */
expect.extend(matchers);

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends GatehouseMatchers<T> {}
}

declare global {
  /** Of @types/jest: `expect` without an import. */
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: all declarations of an interface have the same parameters
    interface Matchers<R, T = {}> extends GatehouseMatchers<T> {}
  }
}
