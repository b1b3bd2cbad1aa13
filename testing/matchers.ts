import { DENIED, type Decision, type DenyReason } from '../engine/decision.ts';
import { GatehouseError, invalid } from '../table/errors.ts';
import { hint } from '../table/similar-words.ts';
import { epochOf } from './clock.ts';
import { type Expectation, formatUnexpected, isUnknown, meets } from './expectation.ts';
import type { TestCheckOptions, TestEngine } from './test-engine.ts';

type PermissionOf<T> = T extends TestEngine<infer Permission> ? Permission : string;

type Question<Permission = string> = [subject: string, permission: Permission, scope: string];

/** The matchers as `expect` has them. They are asynchronous: write `await expect(authz).toAllow(…)`. */
export interface GatehouseMatchers<T> {
  /** Passes if it is allowed. */
  toAllow: (...asked: [...Question<PermissionOf<T>>, options?: TestCheckOptions]) => Promise<void>;
  /**
   * Passes if it is refused: for the reason that is given, or else for any reason but an unknown subject, scope or
   * permission.
   */
  toRefuse: (
    ...asked:
      | [...Question<PermissionOf<T>>, options?: TestCheckOptions]
      | [...Question<PermissionOf<T>>, reason: DenyReason, options?: TestCheckOptions]
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

/** For `expect.extend`. */
export const matchers = {
  async toAllow(this: State, received: unknown, ...asked: [...Question, options?: TestCheckOptions]) {
    const [subject, permission, scope, options = {}] = asked;
    return match(this, received, [subject, permission, scope], options, 'allow');
  },
  async toRefuse(
    this: State,
    received: unknown,
    ...asked: [...Question, first?: DenyReason | TestCheckOptions, second?: TestCheckOptions]
  ) {
    const [subject, permission, scope, first, second] = asked;
    const [expected, options = {}] = typeof first === 'string' ? [first, second] : [undefined, first];
    if (expected !== undefined && !Object.hasOwn(DENIED, expected))
      throw invalid('reason', `there is no reason ${expected}: ${hint(expected, Object.keys(DENIED))}`);
    return match(this, received, [subject, permission, scope], options, expected ?? 'deny');
  },
};

async function match(
  { isNot = false }: State,
  received: unknown,
  question: Question,
  options: TestCheckOptions,
  expected: Expectation,
): Promise<Result> {
  const authz = testEngineIn(received);
  const [subject, permission, scope] = question;
  const decision = await authz.check(...question, options).catch(expectedUnknown(expected));
  const pass = meets(expected, decision);
  if (pass !== isNot) return { pass, message: () => '' };
  const at = options.at === undefined ? authz.clock.now() : epochOf(options.at, 'at');
  const text = formatUnexpected({
    subject,
    permission,
    scope,
    actor: options.actor,
    decision,
    at: new Date(at).toISOString(),
    expect: isNot ? `not ${expected}` : expected,
    explanation: isUnknown(decision) ? undefined : await authz.explain(...question, options),
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
