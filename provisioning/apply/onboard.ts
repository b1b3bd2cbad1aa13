import * as z from 'zod';
import { conflict, GatehouseError, invalid, stale } from '../../table/errors.ts';
import { isId, isRef, parseRef } from '../../table/identifiers.ts';
import type { Action } from '../../table/write/action.ts';
import { MAX_ACTIONS } from '../../table/write/transaction.ts';
import { auditOf, createAssembly, inFewReads } from '../assembly.ts';
import { type Command, writeCommand } from '../command.ts';
import { asRead, loadNode } from '../nodes/nodes.ts';
import { fits } from '../nodes/steps.ts';
import type { AuditEntry, Planning } from '../plan.ts';
import { explainerOf } from './batch.ts';
import { manifestInput, parse } from './commands.ts';
import { keyOf } from './entry.ts';
import { type ManifestPlan, planManifest, problemsError } from './plan.ts';
import { pointerOf } from './problem.ts';
import { queriesOn } from './queries.ts';
import type { Commands } from './state.ts';
import type { Step } from './steps.ts';

const tooLarge = (size: number) =>
  new GatehouseError(
    'limit_exceeded',
    `this onboarding touches ${size} items; one transaction holds ${MAX_ACTIONS}. Each page or permission of a role takes three or four: give the role of the administrator only, or patterns such as reports:*:*, or roles that exist; add the rest with tenant.apply`,
    { field: 'manifest' },
  );

/** A user that exists is active, and still the one that was found, when the transaction is written. */
async function asFound(planning: Planning, id: string, at: string): Promise<Action> {
  const user = await loadNode(planning, 'user', id, at);
  if (user.item.status !== 'active') throw conflict(at, `user:${id} is not active`, `user:${id}`);
  return asRead(user, ['status', 'email'], () => stale(`user:${id}`, at));
}

/** The users that steps give something and that are not new, each with the first such step. */
function existingUsers(steps: readonly Step[]): ReadonlyMap<string, Step> {
  const made = new Set(steps.flatMap(({ command, input }) => (command === 'user.create' ? [input.id] : [])));
  const found = new Map<string, Step>();
  for (const step of steps) {
    const { user } = step.input;
    if (typeof user === 'string' && isId(user) && !made.has(user) && !found.has(user)) found.set(user, step);
  }
  return found;
}

/** Everything in the manifest is new, or, as users and permissions may be, is as it should be. */
function assertCreates({ steps, state }: ManifestPlan, root: string): void {
  const at = pointerOf(['scopes', root]);
  const desired = state?.desired.find(({ path }) => pointerOf(path) === at);
  const taken = state?.current.find((entry) => desired && keyOf(entry) === keyOf(desired));
  if (taken)
    throw conflict(`manifest${at}`, `${taken.label} exists already`, `${taken.kind}:${taken.identity.id}`);
  const other = steps.find(({ verb }) => verb !== 'create');
  if (!other) return;
  const { verb, kind, label } = other;
  throw conflict(
    `manifest${pointerOf(other.path)}`,
    `it would ${verb} ${kind} ${label}: an onboarding only creates; see tenant.apply`,
  );
}

async function plan(planning: Planning, commands: Commands, given: unknown) {
  const parsed = parse(given);
  const roots = Object.entries(parsed.manifest.scopes).filter(([, { parent }]) => parent === undefined);
  const [root] = roots;
  if (!root || roots.length > 1)
    throw invalid('manifest/scopes', `an onboarding makes one root scope, and there are ${roots.length}`);
  const [rootName] = root;
  const compared = await planManifest(
    parsed,
    { prune: false, shared: false },
    {
      queries: queriesOn(planning.reader, commands),
      commands,
      idFor: async () => planning.newId(),
    },
  );
  assertCreates(compared, rootName);
  if (compared.problems.length > 0) throw problemsError(compared.problems);
  const { steps, state } = compared;
  const assembly = createAssembly(await inFewReads(planning, commands, steps), commands);
  for (const [user, { path }] of existingUsers(steps))
    await assembly.add([await asFound(planning, user, `manifest${pointerOf(path.slice(0, 2))}`)]);
  const carries: AuditEntry[] = [];
  for (const step of steps)
    carries.push(...auditOf(step.command, await assembly.plan(step.command, step.input, explainerOf(step))));
  const actions = assembly.actions();
  // The record of the operation and the audit record go with it.
  if (!fits(actions, planning.splits)) throw tooLarge(actions.length + 2);

  const named = (type: string) =>
    [...(state?.names ?? [])].flatMap(([ref, name]) =>
      isRef(ref) && parseRef(ref, 'ref').type === type ? [{ id: parseRef(ref, 'ref').id, name }] : [],
    );
  const isNew = (command: string, id: string) =>
    steps.some((step) => step.command === command && step.input.id === id);
  const [scope = ''] = [...(state?.names ?? [])].find(([, name]) => name === rootName) ?? [];
  const result = {
    scope,
    roles: named('role').filter(({ id }) => isNew('role.create', id)),
    users: named('user').map((user) => ({ ...user, isNew: isNew('user.create', user.id) })),
    created: steps.length,
  };
  const ref = parseRef(scope, 'scope');
  return { actions, result, audit: { entity: ref, tenant: ref, after: result }, carries };
}

/** A tenant from nothing in one transaction. `parts` are the commands of which it is made. */
export const onboardCommand = (parts: Commands): Command =>
  writeCommand({
    name: 'tenant.onboard',
    summary:
      'Creates a tenant from a manifest, in one transaction: one root scope with the scopes below it, roles, groups, and grants of new or existing users. It changes nothing else.',
    compares: true,
    carries: true,
    input: z.strictObject({ manifest: manifestInput }),
    plan: (planning, { manifest }) => plan(planning, parts, manifest),
  });
