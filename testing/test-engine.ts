import {
  type Actor,
  createEngine,
  createExplainer,
  type Decision,
  type Engine,
  type Explanation,
  type Given,
  type Reason,
} from '../engine/index.ts';
import { defined } from '../table/defined.ts';
import { GatehouseError } from '../table/errors.ts';
import { isRef, parseRef } from '../table/identifiers.ts';
import type { Reader } from '../table/reader.ts';
import { appliedManifest } from './applied-manifest.ts';
import { createTestClock, epochOf, type Instant, type TestClock } from './clock.ts';
import { type ManifestInput, readInput } from './manifest-input.ts';
import { type NamedKind, refOf, unknownName, withNames } from './manifest-names.ts';
import { provisionedInMemory } from './memory.ts';
import { asWrittenLongAgo } from './reader.ts';

export interface TestEngineOptions {
  /** Where the clock starts. Default: now. */
  readonly at?: Instant;
}

/**
 * What conditions look at beside the manifest, and the instant to decide for (default: that of the clock), which is
 * `context.time` as well.
 */
export interface TestCheckOptions extends Given {
  readonly at?: Instant;
  /** Who acts for the subject: a name of the manifest or a reference, and `mandate:…`, which `mandate.create` makes. */
  readonly actor?: Pick<Actor, 'subject' | 'mandate'>;
}

/** A manifest in memory, with the engine that decides in production. */
export interface TestEngine<Permission extends string = string> {
  /**
   * Decides. Subject and scope are names of the manifest, or references (`user:…`, `location:…`).
   *
   * @throws GatehouseError `not_found` for an unknown subject, permission or scope, with suggestions: a
   *   misspelt name must not look like a refusal
   */
  readonly check: (
    subject: string,
    permission: Permission,
    scope: string,
    options?: TestCheckOptions,
  ) => Promise<Decision>;
  /** Why it is decided so, with the names of the manifest: `formatExplanation` of the engine prints it. */
  readonly explain: (
    subject: string,
    permission: Permission,
    scope: string,
    options?: TestCheckOptions,
  ) => Promise<Explanation>;
  /**
   * The reference of a name, for the code under test: `user:…`, `location:…`, `group:…`, `role:…`.
   *
   * @param kind needed where several kinds have the name
   * @throws GatehouseError `not_found` with suggestions, `invalid` for a name of several kinds
   */
  readonly ref: (name: string, kind?: NamedKind) => string;
  /**
   * A name as commands take it where they ask for an id: the id of a user, a group, a role or a scope; of other subjects
   * the reference.
   */
  readonly id: (name: string, kind?: NamedKind) => string;
  /**
   * Carries out a command of provisioning. The next check sees what it changed.
   *
   * @returns the result
   * @throws GatehouseError as provisioning refuses it
   */
  readonly command: (
    name: string,
    input: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
  readonly clock: TestClock;
  /** For the code under test. It never answers from before a change. */
  readonly engine: Engine;
  /** For the code under test, where it takes a reader: the table in memory. */
  readonly reader: Reader;
}

/**
 * A manifest as a table in memory, with an engine on it: for unit tests, without a process or a network.
 *
 * @param manifest an object, a YAML or JSON text, or a file: a URL, or a path that ends in `.yaml`, `.yml` or `.json`
 * @throws ProblemsError with everything that is wrong with the manifest, each with its place
 */
export async function testEngine<Permission extends string = string>(
  manifest: ManifestInput,
  { at }: TestEngineOptions = {},
): Promise<TestEngine<Permission>> {
  const clock = createTestClock(at);
  const { names, permissions, items } = await appliedManifest(await readInput(manifest), clock.now());
  let current: Engine | undefined;
  const onCommit = () => {
    current = undefined;
  };
  const { reader: stored, provisioning } = provisionedInMemory(clock.now, { items, onCommit });
  const reader = asWrittenLongAgo(stored);
  /** A change of the table starts with an empty cache. */
  const latest = (): Engine => {
    current ??= createEngine({ reader, clock });
    return current;
  };
  const explainer = createExplainer({ reader, clock });
  const asked = (kind: 'subject' | 'scope', name: string): string =>
    isRef(name) && !names.of(kind).has(name) ? name : refOf(names, name, [kind]);
  const acting = (name: string): string => {
    const known = names.of('subject');
    if (!isRef(name) && !known.has(name)) throw unknownName('actor', name, known.keys());
    return asked('subject', name);
  };
  const ref = (name: string, kind?: NamedKind): string => refOf(names, name, kind && [kind]);
  const optionsOf = ({ at = clock.now(), actor, ...given }: TestCheckOptions) => ({
    ...given,
    actor: actor && { ...actor, subject: acting(actor.subject) },
    at: epochOf(at, 'at'),
  });
  /** What is known instead of a name that the engine does not find. */
  const known: Readonly<
    Partial<Record<Reason, readonly ['subject' | 'actor' | 'scope' | 'permission', readonly string[]]>>
  > = {
    subject_unknown: ['subject', [...names.of('subject').keys()]],
    actor_unknown: ['actor', [...names.of('subject').keys()]],
    scope_unknown: ['scope', [...names.of('scope').keys()]],
    permission_unknown: ['permission', permissions],
  };

  return {
    clock,
    reader,
    check: async (subject, permission, scope, options = {}) => {
      const [who, where] = [asked('subject', subject), asked('scope', scope)];
      const decision = await latest().check(who, permission, where, optionsOf(options));
      const missing = known[decision.reason];
      if (!missing) return decision;
      const [field, suggestions] = missing;
      throw unknownName(
        field,
        { subject, actor: options.actor?.subject ?? '', permission, scope }[field],
        suggestions,
      );
    },
    explain: async (subject, permission, scope, options = {}) => {
      const [who, where] = [asked('subject', subject), asked('scope', scope)];
      return withNames(await explainer.explain(who, permission, where, optionsOf(options)), names.nameOf);
    },
    ref,
    id: (name, kind) => {
      const found = ref(name, kind);
      const { type, id } = parseRef(found, 'name');
      return names.of('subject').get(name) === found && type !== 'user' ? found : id;
    },
    command: async (name, input) => {
      const answer = await provisioning({ command: name, input });
      if (answer.ok) return answer.result;
      const { code, message, field, holder } = answer.error;
      throw new GatehouseError(code, `${name}: ${message}`, defined({ field, holder }));
    },
    engine: {
      check: (...all) => latest().check(...all),
      checkWithRoles: (...all) => latest().checkWithRoles(...all),
      checkAsked: (...all) => latest().checkAsked(...all),
      checkMany: (...all) => latest().checkMany(...all),
      checkManyAsked: (...all) => latest().checkManyAsked(...all),
      decideAsked: (...all) => latest().decideAsked(...all),
      session: (...all) => latest().session(...all),
      prefetch: (items) => latest().prefetch(items),
      effectiveRoles: (...all) => latest().effectiveRoles(...all),
    },
  };
}
