import * as z from 'zod/mini';
import type { Actor } from '../engine/index.ts';
import { isId } from '../table/identifiers.ts';
import { isObject } from '../table/json.ts';
import { BadRequestError } from './errors.ts';

/**
 * The requests of OpenID AuthZEN Authorization API 1.0, sections 5 to 8, as schemas. What they do not name is
 * ignored, so that later versions of the protocol can add to it.
 */

/** Attributes of a subject, a resource, an action or the request. */
export type Properties = Readonly<Record<string, unknown>>;

const object = z.custom<Properties>(isObject, { error: 'is not an object' });
const text = z.string({ error: 'is not a string' });
const properties = z.optional(object);

/** A subject or a resource. */
const entity = z.object({ type: text, id: text, properties }, { error: 'is not an object' });
/** One that a search looks for. Its id is ignored, whatever it is. */
const sought = z.object({ type: text, properties }, { error: 'is not an object' });
const action = z.object({ name: text, properties }, { error: 'is not an object' });

/** Who acts for the subject: `agent`, as the working group drafts it for MCP, or `actor`, which is ours. */
const agent = z.object({ type: text, id: text }, { error: 'is not an object' });
const actor = z.extend(agent, {
  mandate: z.optional(text.check(z.refine(isId, { error: 'is not the id of a mandate' }))),
});
const acting = z
  .object({ agent: z.optional(agent), actor: z.optional(actor) }, { error: 'is not an object' })
  .check(
    z.refine((named) => named.agent === undefined || named.actor === undefined, {
      error: 'names both agent and actor',
    }),
  );

const context = z.optional(
  object.check((payload) => {
    for (const issue of acting.safeParse(payload.value).error?.issues ?? [])
      payload.issues.push({ ...issue, code: 'custom', input: payload.value });
  }),
);

/** One evaluation: may this subject perform this action on this resource, in this context? */
const evaluation = z.object({ subject: entity, action, resource: entity, context });

export type Entity = z.output<typeof entity>;
export type Evaluation = z.output<typeof evaluation>;

const SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const;

const options = z.optional(
  z.object(
    {
      evaluations_semantic: z.optional(z.enum(SEMANTICS, { error: `is not one of ${SEMANTICS.join(', ')}` })),
      /** Ours: adds the explanation to each decision. */
      explain: z.optional(z.boolean({ error: 'is neither true nor false' })),
    },
    { error: 'is not an object' },
  ),
);

/** The most evaluations of one request. Each takes two questions to the engine, of at most 1,000 together. */
const MAX_EVALUATIONS = 500;

const single = z.extend(evaluation, { options });

/** The envelope of a batch: its evaluations are read one by one, for one that is faulty is no error of all. */
const batch = z.object({
  subject: z.optional(entity),
  action: z.optional(action),
  resource: z.optional(entity),
  context,
  options,
  evaluations: z
    .array(z.unknown(), { error: 'is not an array' })
    .check(z.maxLength(MAX_EVALUATIONS, `has more than ${MAX_EVALUATIONS} entries`)),
});

const page = z.optional(
  z.object(
    {
      token: z.optional(text),
      limit: z.optional(z.int({ error: 'is not an integer' }).check(z.nonnegative('is negative'))),
    },
    { error: 'is not an object' },
  ),
);
const subjectSearch = z.object({ subject: sought, action, resource: entity, context, page });
const resourceSearch = z.object({ subject: entity, action, resource: sought, context, page });
const actionSearch = z.object({ subject: entity, resource: entity, context, page });

export type Options = z.output<typeof options>;
export type Page = z.output<typeof page>;
export type SubjectSearch = z.output<typeof subjectSearch>;
export type ResourceSearch = z.output<typeof resourceSearch>;
export type ActionSearch = z.output<typeof actionSearch>;
export type Single = z.output<typeof single>;

/** What was read, or the first problem with it. */
type Read<T> = { readonly value: T } | { readonly problem: string };

interface Schema<T> {
  readonly safeParse: (value: unknown) => z.core.util.SafeParseResult<T>;
}

function read<T>(schema: Schema<T>, value: unknown): Read<T> {
  if (!isObject(value)) return { problem: 'the body is not a JSON object' };
  const { success, data, error } = schema.safeParse(value);
  if (success) return { value: data };
  const [issue] = error.issues;
  const field = issue?.path.join('.') ?? '';
  return {
    problem: isMissing(value, issue?.path ?? []) ? `${field} is missing` : `${field} ${issue?.message}`,
  };
}

const isMissing = (value: unknown, path: readonly PropertyKey[]): boolean =>
  path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value) ===
  undefined;

const reading =
  <T>(schema: Schema<T>) =>
  (body: unknown): T => {
    const result = read(schema, body);
    if ('problem' in result) throw new BadRequestError(result.problem);
    return result.value;
  };

/** These throw BadRequestError. */
export const readEvaluation = reading<Single>(single);
export const readSubjectSearch = reading<SubjectSearch>(subjectSearch);
export const readResourceSearch = reading<ResourceSearch>(resourceSearch);
export const readActionSearch = reading<ActionSearch>(actionSearch);
const readBatchEnvelope = reading<z.output<typeof batch>>(batch);

export interface Batch {
  readonly evaluations: readonly Read<Evaluation>[];
  readonly options: Options;
}

/**
 * Reads a batch. Each of `subject`, `action`, `resource` and `context` that an evaluation has replaces the
 * default as a whole.
 *
 * @returns undefined without evaluations: then it is a single evaluation
 * @throws BadRequestError for what concerns the whole request
 */
export function readBatch(body: unknown): Batch | undefined {
  const given = (body as { readonly evaluations?: unknown } | null)?.evaluations;
  if (given === undefined || (Array.isArray(given) && given.length === 0)) return undefined;
  const { evaluations, options: chosen, ...defaults } = readBatchEnvelope(body);
  return {
    options: chosen,
    evaluations: evaluations.map((own) =>
      isObject(own)
        ? read(evaluation, { ...defaults, ...pick(own as Properties) })
        : { problem: 'the evaluation is not an object' },
    ),
  };
}

const KEYS = ['subject', 'action', 'resource', 'context'] as const;
const pick = (own: Properties): Properties =>
  Object.fromEntries(KEYS.flatMap((key) => (Object.hasOwn(own, key) ? [[key, own[key]]] : [])));

/** Who acts, in a context that was read. The caller vouches for it. */
export function actorIn(context: Properties | undefined): Actor | undefined {
  const { agent, actor = agent } = acting.parse(context ?? {});
  if (actor === undefined) return undefined;
  const { type, id, mandate } = { mandate: undefined, ...actor };
  return { subject: `${type}:${id}`, mandate: mandate === undefined ? undefined : `mandate:${mandate}` };
}
