import { DENIED, type Decision, type DenyReason } from '../engine/decision.ts';
import { hint } from '../provisioning/suggestions.ts';
import { GatehouseError, invalid } from '../table/errors.ts';
import { epochOf } from './clock.ts';
import { type Expectation, formatUnexpected, isUnknown, meets } from './expectation.ts';
import type { TestCheckOptions, TestEngine } from './test-engine.ts';

type PermissionOf<T> = T extends TestEngine<infer Permission> ? Permission : string;

/** The matchers as `expect` has them. They are asynchronous: write `await expect(authz).toAllow(…)`. */
export interface GatehouseMatchers<T> {
  /** Passes if it is allowed. */
  toAllow: (
    subject: string,
    permission: PermissionOf<T>,
    scope: string,
    options?: TestCheckOptions,
  ) => Promise<void>;
  /**
   * Passes if it is refused: for the reason that is given, or else for any reason but an unknown subject, scope or
   * permission.
   */
  toRefuse: (
    subject: string,
    permission: PermissionOf<T>,
    scope: string,
    ...rest: [options?: TestCheckOptions] | [reason: DenyReason, options?: TestCheckOptions]
  ) => Promise<void>;
}

interface Result {
  readonly pass: boolean;
  readonly message: () => string;
}

/** What a runner gives to a matcher as `this`. */
interface State {
  readonly isNot?: boolean | undefined;
}

interface Asked {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  readonly options: TestCheckOptions;
}

/** For `expect.extend`. */
export const matchers = {
  async toAllow(
    this: State,
    received: unknown,
    subject: string,
    permission: string,
    scope: string,
    options: TestCheckOptions = {},
  ): Promise<Result> {
    return match(this, received, { subject, permission, scope, options }, 'allow');
  },
  async toRefuse(
    this: State,
    received: unknown,
    subject: string,
    permission: string,
    scope: string,
    first?: DenyReason | TestCheckOptions,
    second?: TestCheckOptions,
  ): Promise<Result> {
    const [expected, options = {}] = typeof first === 'string' ? [first, second] : [undefined, first];
    if (expected !== undefined && !Object.hasOwn(DENIED, expected))
      throw invalid('reason', `there is no reason ${expected}: ${hint(expected, Object.keys(DENIED))}`);
    return match(this, received, { subject, permission, scope, options }, expected ?? 'deny');
  },
};

async function match(
  { isNot = false }: State,
  received: unknown,
  { options, ...question }: Asked,
  expected: Expectation,
): Promise<Result> {
  const authz = testEngineIn(received);
  const { subject, permission, scope } = question;
  const decision = await authz.check(subject, permission, scope, options).catch(expectedUnknown(expected));
  const pass = meets(expected, decision);
  if (pass !== isNot) return { pass, message: () => '' };
  const at = options.at === undefined ? authz.clock.now() : epochOf(options.at, 'at');
  const text = formatUnexpected({
    ...question,
    actor: options.actor,
    decision,
    at: new Date(at).toISOString(),
    expect: isNot ? `not ${expected}` : expected,
    explanation: isUnknown(decision) ? undefined : await authz.explain(subject, permission, scope, options),
  });
  return { pass, message: () => text };
}

/** An unknown name is an error unless that refusal is expected. */
const expectedUnknown =
  (expected: Expectation) =>
  (error: unknown): Decision => {
    if (
      error instanceof GatehouseError &&
      error.code === 'not_found' &&
      `${error.field}_unknown` === expected
    )
      return DENIED[expected as DenyReason];
    throw error;
  };

function testEngineIn(received: unknown): TestEngine {
  const { check, explain, clock } = (received ?? {}) as Partial<TestEngine>;
  if (check && explain && clock) return received as TestEngine;
  throw invalid('received', 'expect() takes what testEngine resolves to: await testEngine(manifest)');
}
