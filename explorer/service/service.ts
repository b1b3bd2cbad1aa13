import { createEngine, createExplainer, createLists, type Given } from '../../engine/index.ts';
import {
  type Answer,
  againstLog,
  COMMANDS,
  changesBeyond,
  changesOf,
  descriptionsOf,
  type Failure,
  inPlainWords,
  namesOf,
  namesOfSubjects,
  type PlanAnswer,
  type Provisioning,
  readMatrix,
  readSavedPlan,
} from '../../provisioning/index.ts';
import { GatehouseError, isRef, type Reader, withInvisible } from '../../table/index.ts';
import { formsOf } from './form.ts';
import { INPUTS, isMethod, type Method } from './method-inputs.ts';
import { createPolicies } from './policy.ts';

/** What the page says of its table. */
export interface About {
  /** Which table it is, for people. */
  readonly place: string;
  /** Whether commands may write. */
  readonly canWrite: boolean;
  /** Whether decisions can be watched as they happen. */
  readonly isLive: boolean;
  /** The names of APIs that have routes, where they are known: a table has no list of them. */
  readonly apis?: readonly string[] | undefined;
}

/** What the service rests on: a table, and how it is presented. */
export interface ServiceParts {
  readonly reader: Reader;
  readonly provisioning: Provisioning;
  readonly clock: { readonly now: () => number };
  readonly about: About;
  /** Who makes changes, for the audit log. */
  readonly actor?: string | undefined;
  /** The name of a reference that the table has no name of; a manifest has some. */
  readonly nameOf?: ((ref: string) => string | undefined) | undefined;
}

/**
 * Answers a method of {@link INPUTS}. It never rejects: whatever goes wrong is an answer, and never a decision.
 *
 * @param method its name
 * @param input checked here, by its schema
 */
export type Service = (method: string, input: unknown) => Promise<Reply>;

/** What each method answers. */
export type Results = { readonly [M in Method]: Awaited<ReturnType<ReturnType<typeof methodsOf>[M]>> };

/** Why there is no result: never a decision. */
export type Fault = Failure['error'];

/** A method's answer. It is never thrown: it crosses a worker or HTTP. */
export type Reply<M extends Method = Method> =
  | { readonly ok: true; readonly result: Results[M] }
  | { readonly ok: false; readonly error: Fault };

type Checked<M extends Method> = ReturnType<(typeof INPUTS)[M]['parse']>;

const READ_ONLY: Answer = {
  ok: false,
  error: {
    code: 'invalid',
    message: 'this explorer is read-only: start it with --write to change the table',
    retryable: false,
  },
};

/** A result whose texts show what is not seen in them; what is called by its reference has the name that `nameOf` knows. */
const shown = <T>(result: T, nameOf: (ref: string) => string | undefined): T =>
  JSON.parse(JSON.stringify(result), (_, value: unknown) => {
    if (typeof value === 'string') return withInvisible(value);
    if (typeof value !== 'object' || value === null) return value;
    const { ref, name } = value as { readonly ref?: unknown; readonly name?: unknown };
    return typeof ref === 'string' && ref === name
      ? { ...value, name: withInvisible(nameOf(ref) ?? ref) }
      : value;
  });

function methodsOf(parts: ServiceParts) {
  const { reader, provisioning, clock, about, actor, nameOf = () => undefined } = parts;
  const engine = createEngine({ reader, clock, ttlMs: 0 });
  const explainer = createExplainer({ reader, clock });
  const lists = createLists({ reader, engine, clock });
  const policies = createPolicies({ reader, engine, clock });

  const named = (refs: readonly string[], names: readonly (string | undefined)[]) =>
    refs.map((ref, position) => ({ ref, name: withInvisible(names[position] ?? nameOf(ref) ?? ref) }));

  return {
    about: async () => about,
    check: async ({ subject, permission, scope, ...rest }) =>
      engine.check(subject, permission, scope, optionsOf(rest)),
    explain: async ({ subject, permission, scope, ...rest }) =>
      shown(await explainer.explain(subject, permission, scope, optionsOf(rest)), nameOf),
    subjects: async ({ permission, scope, ...rest }) => {
      const page = await lists.listSubjects(permission, scope, optionsOf(rest));
      return { ...page, items: named(page.items, await namesOfSubjects(reader, page.items)) };
    },
    permissions: async ({ subject, scope, ...rest }) => {
      const page = await lists.listPermissions(subject, scope, optionsOf(rest));
      const descriptions = await descriptionsOf(reader, page.items);
      const items = page.items.map((permission, position) => ({
        permission,
        description: descriptions[position],
      }));
      return { ...page, items };
    },
    scopes: async ({ subject, permission, ...rest }) => {
      const page = await lists.listScopes(subject, permission, optionsOf(rest));
      return { ...page, items: named(page.items, await namesOf(reader, page.items)) };
    },
    matrix: async (wanted) =>
      shown(
        await readMatrix(async (command, input) => {
          const answer = await provisioning({ command, input });
          if (answer.ok) return answer.result;
          if (answer.error.code === 'not_found') return undefined;
          throw errorOf(answer);
        }, wanted),
        nameOf,
      ),
    /** Names by reference; what has none is left out. */
    names: async ({ refs }) => {
      const known = refs.filter(isRef);
      const subjects = await namesOfSubjects(reader, known);
      const others = await namesOf(reader, known);
      return Object.fromEntries(
        known.flatMap((ref, position) => {
          const name = others[position] ?? subjects[position] ?? nameOf(ref);
          return name === undefined ? [] : [[ref, withInvisible(name)]];
        }),
      );
    },
    policy: policies.policyShown,
    tryRoute: policies.tryRoute,
    forms: async ({ commands }) => formsOf(commands),
    command: async ({ command, input, dryRun }) => {
      const isRead = COMMANDS.get(command)?.kind === 'read' || dryRun === true;
      if (!isRead && COMMANDS.has(command) && !about.canWrite) return READ_ONLY;
      return provisioning({ command, input, dryRun, actor });
    },
    against: async ({ changes, logged }) =>
      againstLog(changesOf(changes), logged, { reader, commands: COMMANDS, at: clock.now() }),
    /** A saved plan beside a new one of its manifest. */
    savedPlan: async ({ data }) => {
      const read = readSavedPlan(data);
      if (!read) throw new GatehouseError('invalid', 'this is no plan: gatehouse plan --out writes one');
      if ('problem' in read) throw new GatehouseError('invalid', `this ${read.problem}`);
      const { manifest, ...saved } = read.plan;
      const { prune, pruneShared } = saved;
      const answer = await provisioning({ command: 'tenant.plan', input: { manifest, prune, pruneShared } });
      if (!answer.ok) throw errorOf(answer);
      const plan = answer.result as unknown as PlanAnswer;
      const beyond = new Set(await changesBeyond(read.plan, plan.changes));
      // What the saved plan does not have: there is some where it is out of date.
      const changes = plan.changes.map((each) => ({ ...each, isBeyond: beyond.has(each) }));
      return { saved, plan: { ...plan, changes } };
    },
  } satisfies { readonly [M in Method]: (input: Checked<M>) => Promise<unknown> };
}

/**
 * The functions of the explorer over a table: the code that decides, explains, searches and provisions elsewhere, one
 * call each. Decisions rest on the table as it is when they are asked, not on a cache.
 */
export function createService(parts: ServiceParts): Service {
  const methods = methodsOf(parts);
  return async (method, input) => {
    try {
      if (!isMethod(method)) throw new GatehouseError('not_found', `there is no method ${method}`);
      const checked = INPUTS[method].safeParse(input, { error: inPlainWords });
      if (!checked.success) {
        const [issue] = checked.error.issues;
        const field = issue?.path.join('.') || 'input';
        throw new GatehouseError('invalid', `${field}: ${issue?.message ?? 'is not valid'}`, { field });
      }
      const run = methods[method] as (given: unknown) => Promise<Results[Method]>;
      return { ok: true, result: await run(checked.data) };
    } catch (error) {
      return { ok: false, error: faultOf(error) };
    }
  };
}

/** A refusal of provisioning, as what is thrown. */
const errorOf = ({ error: { code, message, field } }: Failure): GatehouseError =>
  new GatehouseError(code, message, field === undefined ? {} : { field });

/** The engine's options, with what is given beside them. */
function optionsOf<T extends { readonly given?: unknown }>({ given, ...rest }: T) {
  return { ...rest, ...(given as Given | undefined) };
}

/** What went wrong, for the page. What is not ours is reported as `internal`, without its message. */
function faultOf(error: unknown): Fault {
  const known = error instanceof GatehouseError ? error : new GatehouseError('internal', 'this did not work');
  const { code, message, field, retryable } = known;
  return { code, message, retryable, ...(field === undefined ? {} : { field }) };
}
