import * as z from 'zod';
import { formatMandateToken, hashOfToken } from '../../table/api-token.ts';
import { defined } from '../../table/defined.ts';
import { DAY_MS } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { MANDATE_HOURS, MAX_MANDATE_DAYS, MAX_MANDATES } from '../../table/entities/mandates.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { conflict, invalid, limitExceeded } from '../../table/errors.ts';
import { AGENT, parseRef, parseSubjectRef, type Ref } from '../../table/identifiers.ts';
import { allOf, inTenant } from '../../table/index-queries.ts';
import { mandateUsesKey, nodeKey, permissionRef } from '../../table/keys.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import { isPermissionPattern, readPermissionName } from '../../table/permission-name.ts';
import type { ListQuery } from '../../table/reader.ts';
import { auditSize } from '../audit.ts';
import { type Command, writeCommand } from '../command.ts';
import { by, listCommand, period } from '../kinds/lists.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { type NodePlan, planCreation, planEnding } from '../kinds/writing.ts';
import { ownersOfMandate } from '../nodes/mandates.ts';
import { loadNode, loadRef, loadScope, refuseDeleting, textOf } from '../nodes/nodes.ts';
import { readDeclarations, refuseBeyondAction, refuseCondition } from '../nodes/properties.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import { settingsInForce } from '../nodes/settings.ts';
import { fits } from '../nodes/steps.ts';
import { isOfOperators } from '../operator-permissions.ts';
import type { Node, Planning } from '../plan.ts';
import type { Attributes } from '../visible.ts';
import { useCommand } from './mandate-use.ts';

/**
 * Mandates: what an actor may do for a subject (ADR 0048). None is ever changed or widened. One goes with its subject, its
 * actor, and any of its scopes, so it never counts for another one of the same name.
 */

/** Hours for which a mandate in a tenant may count, where its operators say so. */
const SETTING = 'mandates.max-hours';
const HOUR_MS = 3_600_000;

/** The one root of all scopes. Throws `invalid` on `scopes` where there are several. */
async function rootOfAll(planning: Planning, scopes: readonly string[]): Promise<string> {
  const nodes = await Promise.all(scopes.map((scope) => loadScope(planning, scope, 'scopes')));
  for (const node of nodes) refuseDeleting(node, 'scopes');
  const roots = [...new Set(nodes.map(({ item }) => textOf(item, 'root')))];
  if (roots.length > 1)
    throw invalid(
      'scopes',
      `scopes: ${roots.slice(0, 2).join(' and ')} are two tenants: make a mandate in each`,
    );
  return String(roots[0]);
}

/** Throws `invalid` on `permissions` for one that no role could hold, or that gives operators' rights by a pattern. */
async function refusePermissions({ reader }: Planning, permissions: readonly string[]): Promise<void> {
  const broad = permissions.find((each) => isPermissionPattern(each) && isOfOperators(each));
  if (broad !== undefined)
    throw invalid(
      'permissions',
      `permissions: ${broad} covers permissions of operators: a mandate names each of these in full`,
    );
  const names = permissions.flatMap((each) => readPermissionName(each) ?? []);
  const found = await reader.getMany(names.map((name) => nodeKey(permissionRef(name))));
  const unknown = names.find((_, position) => !found[position]);
  if (unknown) throw invalid('permissions', `permissions: ${unknown.text} is not registered`);
}

/** When it ends: at most after a day, or after what the setting of its root says. */
async function endOf({ reader, now }: Planning, root: Ref, wanted: unknown): Promise<string> {
  const { [SETTING]: setting } = await settingsInForce(reader, [SETTING], root, undefined);
  const said = typeof setting?.value === 'number' && setting.value > 0 ? setting.value : MANDATE_HOURS;
  const most = Math.min(said * HOUR_MS, MAX_MANDATE_DAYS * DAY_MS);
  const after = (milliseconds: number) => new Date(Date.parse(now) + milliseconds).toISOString();
  const endsAt = String(wanted ?? after(Math.min(most, MANDATE_HOURS * HOUR_MS)));
  if (endsAt <= now || endsAt > after(most))
    throw invalid('endsAt', `endsAt: is not within ${most / HOUR_MS} hours from now`);
  return endsAt;
}

/** Throws `invalid` on `budget` where it sums up what is declared to be no number. */
async function refuseBudget(
  { reader }: Planning,
  budget: { readonly of?: string | undefined } | undefined,
): Promise<void> {
  if (budget?.of === undefined) return;
  const type = (await readDeclarations(reader)).get('action')?.get(budget.of)?.type;
  if (type !== undefined && type !== 'int' && type !== 'double')
    throw invalid('budget', `budget: ${budget.of} of the action is declared as ${type}, which has no sum`);
}

/** Throws `limit_exceeded` on `subject`. Creations at the same time do not see each other. */
async function refuseTooMany({ reader, now }: Planning, subject: string): Promise<void> {
  const query = mandatesOf('subject', subject, isValidAt(now));
  const { items } = await reader.list({ ...query, limit: MAX_MANDATES });
  if (items.length >= MAX_MANDATES)
    throw limitExceeded(`${subject} has ${MAX_MANDATES} mandates that count: end one first`, 'subject');
}

const INPUT = ENTITIES.mandate.attributes.extend({
  id: field.id.optional(),
  token: z.boolean().optional().describe('whether to issue a token, which is in this answer only'),
});

const create = writeCommand({
  name: 'mandate.create',
  summary:
    'Creates a mandate: what an actor may do for a subject, where, until when, and for which purpose. With `token`, whoever shows it acts by this mandate.',
  input: INPUT,
  plan: async (planning, { token = false, ...given }) => {
    const { subject, actor, permissions, scopes, when, budget } = given;
    if (subject === actor) throw invalid('actor', 'actor: nobody acts for itself by a mandate');
    if (subject.startsWith(`${AGENT}:`))
      throw invalid('subject', 'subject: an agent acts for others, and nobody acts for it');
    for (const [name, text] of Object.entries({ subject, actor }))
      refuseDeleting(await loadRef(planning, parseSubjectRef(text, name), name), name);
    await refuseTooMany(planning, subject);
    const root = await rootOfAll(planning, scopes);
    await refusePermissions(planning, permissions);
    await refuseCondition(planning.reader, when);
    if (when !== undefined) await refuseBeyondAction(when);
    await refuseBudget(planning, budget);
    const endsAt = await endOf(planning, parseRef(root, 'root'), given.endsAt);
    const id = given.id ?? planning.newId();
    const text = token ? formatMandateToken(actor, subject, id, planning.newSecret()) : undefined;
    const hash = text === undefined ? undefined : await hashOfToken(text);
    const plan = await planCreation(
      planning,
      MANDATE,
      { ...given, id, endsAt },
      { root, status: 'active', ...defined({ hash }) },
    );
    return text === undefined ? plan : { ...plan, shownOnce: { token: text } };
  },
});

/** What ends one by hand. */
const planEnd = (planning: Planning, node: Node): NodePlan =>
  planEnding(planning, MANDATE, node, { status: 'ended', endedAt: planning.now }, { status: 'active' });

const NO_UNDO = { undo: 'none: mandate.create makes another one' };

const end = writeCommand({
  name: 'mandate.end',
  summary: 'Ends a mandate at once, for good.',
  input: z.strictObject({ id: field.id }),
  destructive: NO_UNDO,
  plan: async (planning, { id }) => {
    const node = await loadNode(planning, 'mandate', id, 'id');
    if (node.item.status !== 'active') throw conflict('id', 'this mandate was ended before');
    return planEnd(planning, node);
  },
});

type Keep = (attributes: Attributes) => boolean;

const isValidAt =
  (at: string | undefined): Keep =>
  ({ status, endsAt }) =>
    at === undefined || (status === 'active' && at < String(endsAt));

/** The mandates in which a subject has this part. */
const mandatesOf = (part: 'subject' | 'actor', ref: string, keep: Keep): ListQuery =>
  ownedBy(parseSubjectRef(ref, part), 'mandate', (copy) => copy[part] === ref && keep(copy));

const endAll = writeCommand({
  name: 'mandate.end-all',
  summary: 'Ends every mandate of a subject at once, for good: nobody acts for it any more.',
  input: z.strictObject({ subject: field.subjectRef }),
  destructive: NO_UNDO,
  steps: async function* (planning, { subject }) {
    // Of a name that is misspelt nothing would end, and that would look like success.
    await loadRef(planning, parseSubjectRef(subject, 'subject'), 'subject');
    const result = { subject, ended: true };
    for (;;) {
      const { reader, now } = planning;
      const copies = await reader.list({ ...mandatesOf('subject', subject, isValidAt(now)), limit: 100 });
      const refs = copies.items.map(({ id }): Ref => ({ type: 'mandate', id: String(id) }));
      const items = await reader.getMany(refs.map(nodeKey));
      const plans = items.flatMap((item, position) =>
        item?.status === 'active' ? [planEnd(planning, { ref: refs[position] as Ref, item })] : [],
      );
      let taken: readonly NodePlan[] = [];
      for (const plan of plans) {
        const more = [...taken, plan];
        const records = auditSize(more.map(({ audit }) => audit));
        const actions = more.flatMap((each) => each.actions);
        if (!fits(actions, planning.splits, records)) break;
        taken = more;
      }
      const step = {
        actions: taken.flatMap(({ actions }) => actions),
        result,
        audit: taken.map(({ audit }) => audit),
      };
      if (taken.length === plans.length && copies.cursor === undefined) return step;
      planning = yield step;
    }
  },
});

const list = listCommand({
  name: 'mandate.list',
  summary:
    'Lists mandates: those of one subject or of one actor (with `at`, those that count at that instant), of one tenant by the time of their creation, or all, page by page.',
  by: [
    ...(['subject', 'actor'] as const).map((part) =>
      by(
        { [part]: field.subjectRef },
        ({ [part]: ref, at }) => mandatesOf(part, String(ref), isValidAt(at as string | undefined)),
        { optional: { at: field.instant } },
      ),
    ),
    by(
      { tenant: field.ref },
      async ({ tenant, ...time }, reader) =>
        inTenant('mandate', await readScopeRef(reader, tenant, 'tenant'), time),
      period,
    ),
  ],
  all: allOf('mandate'),
});

const behaviour: Behaviour = {
  owners: ownersOfMandate,
  onDelete: ({ ref }) => [{ kind: 'delete', key: mandateUsesKey(ref.id) }],
};

const commands: readonly Command[] = [create, end, endAll, useCommand, list];

export const MANDATE: NodeKind = { entity: ENTITIES.mandate, behaviour, commands };
