import * as z from 'zod';

/** What the explorer asks of a table: the name of each method with its input. The page sends it, the service checks it. */

const text = z.string().min(1).max(1_024);
const properties = z.record(z.string().max(64), z.unknown());
const given = z.strictObject({
  subject: z.strictObject({ properties: properties.optional() }).optional(),
  resource: z
    .strictObject({
      type: z.string().min(1).max(32).optional(),
      id: z.string().min(1).max(256).optional(),
      properties: properties.optional(),
    })
    .optional(),
  action: z
    .strictObject({ name: z.string().min(1).max(128).optional(), properties: properties.optional() })
    .optional(),
  context: properties.optional(),
});
/** When to decide for, in epoch milliseconds (default: now), and what conditions look at beside the table. */
const circumstances = { at: z.int().optional(), given: given.optional() };
const paging = { limit: z.int().min(1).max(1_000).optional(), cursor: z.string().max(8_192).optional() };
const counted = z.strictObject({ lines: z.int().min(0), estimated: z.number().min(0) });
/** As many as fit into a request (6 MB). */
export const MOST_LOGGED_QUESTIONS = 20_000;
/** Who acts for the subject, and by which mandate: references. */
const actor = z.strictObject({ subject: text, mandate: text.optional() }).optional();
const search = { actor, ...circumstances, ...paging };
const asked = { subject: text, permission: text, scope: text, actor };
const question = z.strictObject({ ...asked, ...circumstances });
const command = { command: z.string().max(64), input: z.record(z.string(), z.unknown()) };
const call = {
  subject: text,
  actor,
  api: z.string().min(1).max(128),
  claims: z.record(z.string().max(128), z.unknown()).optional(),
};

export const INPUTS = {
  about: z.strictObject({}),
  check: question,
  explain: question,
  /** Subject search: who. */
  subjects: z.strictObject({ permission: text, scope: text, type: text.optional(), ...search }),
  /** Action search: what. */
  permissions: z.strictObject({
    subject: text,
    scope: text,
    kind: z.enum(['page', 'permission']).optional(),
    ...search,
  }),
  /** Resource search: where. */
  scopes: z.strictObject({ subject: text, permission: text, type: text.optional(), ...search }),
  /** Roles by permissions: of the tenant of a scope, or those that no tenant owns. */
  matrix: z.strictObject({ scope: text.optional(), roles: z.array(text).min(1).max(200).optional() }),
  names: z.strictObject({ refs: z.array(text).max(100) }),
  /** The IAM policy for a caller of an API, beside the routes. */
  policy: z.strictObject(call),
  /** A request tried against that policy, and against the routes. */
  tryRoute: z.strictObject({
    ...call,
    method: z.string().regex(/^(?!ANY$)[A-Z]{1,16}$/, 'must be one method in upper case, such as GET'),
    path: z.string().max(10_240).regex(/^\//, 'must begin with /'),
    headers: z.record(z.string().max(128), z.string().max(8_192)).optional(),
  }),
  /** The commands that write, and the fields of some. */
  forms: z.strictObject({ commands: z.array(z.string().max(64)).max(100) }),
  /** A command of provisioning (docs/commands.md). */
  command: z.strictObject({ ...command, dryRun: z.boolean().optional() }),
  /** What changes would have done to the decisions of a log. */
  against: z.strictObject({
    changes: z
      .array(z.strictObject({ ...command, verb: z.enum(['create', 'change', 'remove']).optional() }))
      .max(10_000),
    logged: z.strictObject({
      questions: z
        .array(z.strictObject({ ...asked, allowed: counted, refused: counted }))
        .max(MOST_LOGGED_QUESTIONS)
        .readonly(),
      others: z.int().min(0),
      ofInstants: counted,
    }),
  }),
  /** The plan in a file that `gatehouse plan --out` wrote: what was JSON. */
  savedPlan: z.strictObject({ data: z.record(z.string(), z.unknown()) }),
} as const;

export type Method = keyof typeof INPUTS;
export type Inputs = { readonly [M in Method]: z.input<(typeof INPUTS)[M]> };

export const isMethod = (name: string): name is Method => Object.hasOwn(INPUTS, name);
