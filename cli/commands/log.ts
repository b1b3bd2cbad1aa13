import { changedFields, describeCommand } from '../../provisioning/index.ts';
import { defined } from '../../table/defined.ts';
import type { NamedKind } from '../../table/entities/registry.ts';
import { mayBeScopeType } from '../../table/entities/scope-types.ts';
import { isRef, isUlidOrUuid, parseRef, REGISTERED_SUBJECT } from '../../table/identifiers.ts';
import { UsageError } from '../context.ts';
import { deadline, flag, instant, pageOptions, text, type ValuesOf } from '../options.ts';
import { plain } from '../print.ts';
import { openSender, RefusedError, type Send } from '../provisioning.ts';
import { isSubjectRef, type Names as LookUps, lookUpAny, referenceOf } from '../references.ts';
import { subcommand } from '../subcommand.ts';

const OPTIONS = {
  tenant: text('<tenant>', 'the log of this root scope: a name, or TYPE:ID such as tenant:ID'),
  user: text('<subject>', 'only what this user did: an email, a username, a name or user:ID'),
  actor: text('<name>', 'only what this actor did, such as pipeline or user:ID'),
  entity: text('<entity>', 'only changes of this: a name, or TYPE:ID such as user:ID or page:NAME'),
  from: instant('from this day or instant on, such as 2026-03-01'),
  until: instant('before this day or instant'),
  oldestFirst: flag('in the order of time'),
  ...pageOptions(50),
  deadline,
};
type Which = Pick<ValuesOf<typeof OPTIONS>, 'tenant' | 'user' | 'actor' | 'entity'>;

type Entry = Readonly<Record<string, unknown>>;

/** `gatehouse log`: who did what, when, and what it was before and after. */
export const addLog = subcommand({
  name: 'log',
  summary: 'show the audit log: who changed what, and when',
  description: 'Shows audit records, the newest first: of a tenant, a user or one entity.',
  options: OPTIONS,
  examples: `  gatehouse log --tenant Northwind --from 2026-03-01 --until 2026-04-01
  gatehouse log --user tina@school.example --json
  gatehouse log --tenant client:01M7… --actor pipeline --entity role:01M7…`,
  notes: `Which log is read:
  --tenant TENANT   the log of that tenant
  --user USER       what that user did, and what was done for it, in all
                    tenants, as --actor user:ID
  --actor agent:ID  what that agent did for others, in all tenants
  neither           the log of what belongs to no tenant; with --entity, the log
                    of its tenant
Other conditions (an --actor that is not a user, --actor with --tenant,
--entity) filter these records, until --limit are found or the log ends.`,
  run: async (_, options, context) => {
    const { from, until, limit } = options;
    const instantOf = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());
    const period = defined({ from: instantOf(from), until: instantOf(until) });
    const { send, names: known } = await openSender(options, context);
    const { by, keep, title } = await choose(send, await named(known, options));
    const order = options.oldestFirst ? {} : { descending: true };
    const found = await read(send, { ...by, ...period, ...order }, keep, limit, options.cursor);
    const { items, names, cursor } = found;
    const more = cursor !== undefined && !options.json;
    return {
      data: { log: title, ...found },
      text: (paint) =>
        `${[paint('dim', title), ...items.flatMap((entry) => linesOf(entry, names))].join('\n')}\n${items.length === 0 ? 'none\n' : ''}`,
      notes: more ? [`there may be more: --cursor ${cursor}, or a larger --limit`] : [],
    };
  },
});

/** The options with references in the place of names. An actor is any text, as it was recorded. */
async function named(names: LookUps, { tenant, user, actor, entity }: Which): Promise<Which> {
  if (user !== undefined && actor !== undefined) throw new UsageError('give --actor or --user, not both');
  const refOf = (label: string, kind: NamedKind, text: string | undefined) =>
    referenceOf(names, { label, kind }, text);
  return {
    user,
    tenant: await refOf('--tenant', 'scope', tenant),
    actor: (await refOf('--user', 'subject', user)) ?? actor,
    entity:
      entity === undefined || entity.includes(':')
        ? entity
        : (await lookUpAny(names, '--entity', entity)).ref,
  };
}

/** A user as actors are indexed: by reference, or by a ULID or UUID. */
const asUser = (actor: string): string | undefined => {
  if (isUlidOrUuid(actor)) return actor;
  if (!isSubjectRef(actor)) return undefined;
  const { type, id } = parseRef(actor, 'actor');
  return type === 'user' ? id : actor;
};

interface Choice {
  /** Which log `audit.list` reads. */
  readonly by: Entry;
  /** Which of its records to show; undefined for all. */
  readonly keep: ((entry: Entry) => boolean) | undefined;
  readonly title: string;
}

async function choose(send: Send, { tenant, user: asked, actor, entity }: Which): Promise<Choice> {
  const named = entity === undefined ? undefined : readEntity(entity);
  const user = actor === undefined ? undefined : asUser(actor);
  const byUser = tenant === undefined && user !== undefined;
  // Records name a user by id or by reference.
  const isOfActor = (entry: Entry) =>
    [entry.actor, entry.onBehalfOf].includes(actor) ||
    (user !== undefined && asUser(String(entry.actor)) === user);
  const isOfEntity = ({ entityType, entityId }: Entry) =>
    named === undefined || (entityType === named.type && entityId === named.id);
  const keep =
    actor === undefined || byUser
      ? named && isOfEntity
      : (entry: Entry) => isOfActor(entry) && isOfEntity(entry);
  if (byUser && user.startsWith('agent:') && asked === undefined)
    return { by: { actor }, keep, title: `what ${actor} did for others` };
  if (byUser) return { by: { user }, keep, title: `what ${actor} did` };
  const owner = tenant ?? (named && (await tenantOf(send, named)));
  return owner === undefined
    ? { by: {}, keep, title: 'log of what concerns no tenant' }
    : { by: { tenant: owner }, keep, title: `log of ${owner}` };
}

function readEntity(text: string): { readonly type: string; readonly id: string } {
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1)
    throw new UsageError(`--entity ${text} is not TYPE:ID, such as user:ID or page:NAME`);
  return { type: text.slice(0, colon), id: text.slice(colon + 1) };
}

/** The tenant whose log has the records of an entity, while the entity exists. */
async function tenantOf(send: Send, { type, id }: { readonly type: string; readonly id: string }) {
  // Of a type that was added: the type of a scope is data, and so is that of a subject, in its id.
  const isScope = !describeCommand(`${type}.read`) && mayBeScopeType(type);
  const [kind, named] = isScope
    ? ['scope', { type, id }]
    : [type, type === REGISTERED_SUBJECT && isRef(id) ? { ...parseRef(id, 'entity') } : { id }];
  const found = await send(`${kind}.read`, named).catch((error: unknown) => {
    if (error instanceof RefusedError && error.isOfInput) return undefined;
    throw error;
  });
  return [found?.root, found?.tenant, found?.account, found?.scope].find(
    (value): value is string => typeof value === 'string' && isRef(value),
  );
}

const PAGE = 100;

/**
 * Reads pages until it has as many records as wanted, or the log ends. Where a filter applies, a page with some of them is
 * read again up to the last wanted one: with names, and so that the cursor follows it.
 */
async function read(
  send: Send,
  by: Entry,
  keep: Choice['keep'],
  limit: number,
  start: string | undefined,
): Promise<{ readonly items: readonly Entry[]; readonly names: Names; readonly cursor?: string }> {
  const items: Entry[] = [];
  let names: Names = {};
  let cursor = start;
  const page = async (size: number, withNames: boolean) => {
    const more = defined({ cursor, withNames: withNames || undefined });
    const result = await send('audit.list', { ...by, ...more, limit: size });
    names = { ...names, ...(result.names as Names | undefined) };
    return { rows: result.items as readonly Entry[], next: result.cursor as string | undefined };
  };
  for (;;) {
    const wanted = limit - items.length;
    let { rows, next } = await page(keep ? PAGE : Math.min(PAGE, wanted), !keep);
    if (keep) {
      const found = rows.flatMap((entry, position) => (keep(entry) ? [position] : []));
      if (found.length > 0) ({ rows, next } = await page((found[wanted - 1] ?? rows.length - 1) + 1, true));
      rows = rows.filter(keep);
    }
    items.push(...rows);
    if (next === undefined) return { items, names };
    if (items.length >= limit) return { items, names, cursor: next };
    cursor = next;
  }
}

const shown = (value: unknown): string =>
  value === undefined ? '(none)' : plain(typeof value === 'string' ? value : JSON.stringify(value));

/** By reference. */
type Names = Readonly<Record<string, string>>;

/** A text with the name of what it refers to beside it, where that has another one. */
function called(text: string, names: Names, type?: string): string {
  const ref = type === undefined || text.includes(':') ? text : `${type}:${text}`;
  const name = Object.hasOwn(names, ref) ? names[ref] : undefined;
  return name === undefined || ref.endsWith(`:${name}`) ? shown(text) : `${shown(text)} (${plain(name)})`;
}

/** What differs before and after. */
const changesOf = (entry: Entry, names: Names): readonly string[] =>
  changedFields(entry).map(({ name, ...side }) => {
    const [before, after] = [side.before, side.after].map((value) =>
      typeof value === 'string' ? called(value, names, name) : shown(value),
    );
    if (entry.before === undefined) return `    + ${name}: ${after}`;
    return entry.after === undefined ? `    - ${name}: ${before}` : `    ~ ${name}: ${before} -> ${after}`;
  });

function linesOf(entry: Entry, names: Names): readonly string[] {
  const { timestamp, actor, onBehalfOf, action, entityType, entityId, operationId, step, severity, source } =
    entry;
  const parts = [
    shown(timestamp),
    (actor === undefined ? '-' : called(String(actor), names, 'user')) +
      (onBehalfOf === undefined ? '' : ` for ${called(String(onBehalfOf), names)}`),
    shown(action),
    called(`${String(entityType)}:${String(entityId)}`, names),
    `operation ${shown(operationId)}${step === undefined ? '' : ` step ${String(step)}`}`,
    ...(severity === 'info' || severity === undefined ? [] : [shown(severity)]),
    ...(source === 'provisioning' || source === undefined ? [] : [`by ${shown(source)}`]),
  ];
  return [parts.join('  '), ...changesOf(entry, names)];
}
