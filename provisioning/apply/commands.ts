import * as z from 'zod';
import { sha256 } from '../../table/bytes.ts';
import { defined } from '../../table/defined.ts';
import * as field from '../../table/entities/fields.ts';
import { conflict, GatehouseError, invalid } from '../../table/errors.ts';
import { parseRef, type Ref } from '../../table/identifiers.ts';
import { GLOBAL } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { carryOut } from '../access-difference/carry-out.ts';
import {
  type AccessDifference,
  type AccessSide,
  accessDifference,
  accessDifferenceBy,
  type Copy,
  NOBODY,
} from '../access-difference/index.ts';
import { canonical } from '../canonical.ts';
import { type Command, RESTORE, readCommand, writeCommand } from '../command.ts';
import { notHolding } from '../invariants/not-holding.ts';
import { carriedBy } from '../operators/carried.ts';
import { type Plan, type Planning, withAccepted } from '../plan.ts';
import { leftBy } from '../routes/written-scopes.ts';
import { type Batch, nextBatch } from './batch.ts';
import { derivedId } from './entry.ts';
import { assertNoneErased, withErasures } from './erased.ts';
import { refusedBetween, withoutGap } from './gap.ts';
import { type BrokenInvariants, brokenOn, refuseBroken } from './invariants.ts';
import { type Lease, leaseOf, underLease } from './lease.ts';
import { overriddenDeny } from './overridden-deny.ts';
import { excessOf, type Parsed, parseManifest } from './parse.ts';
import { type ManifestPlan, planManifest, problemsError } from './plan.ts';
import type { Problem } from './problem.ts';
import { queriesOn } from './queries.ts';
import { findRoots } from './reading/places.ts';
import { startReading } from './reading/reading.ts';
import { refusedStep } from './refused-step.ts';
import type { Commands } from './state.ts';
import type { Pruning, Step } from './steps.ts';

/** The commands that compare a manifest with the table, and that apply it. */
export const manifestInput = z
  .record(z.string(), z.unknown())
  .superRefine((data, context) => {
    const tooMuch = excessOf(data);
    if (tooMuch !== undefined) context.addIssue(tooMuch);
  })
  .describe('a manifest (docs/manifests.md) as JSON, at most 1 MB');

const shape = {
  manifest: manifestInput,
  prune: z.boolean().optional().describe('whether to remove what the sections of the manifest leave out'),
  pruneShared: z.boolean().optional().describe('also what belongs to no tenant; implies `prune`'),
};

const planInput = z.strictObject(shape);
const applyInput = z.strictObject({
  ...shape,
  agreed: z
    .array(z.string().max(16))
    .max(10_000)
    .optional()
    .describe(
      'list of the `id`s, as `tenant.plan` answers them, of removals and dangerous changes; others are refused then',
    ),
  exact: z
    .boolean()
    .optional()
    .describe('whether `agreed` lists every change: any other one is refused then'),
  again: z
    .boolean()
    .optional()
    .describe('whether users who were erased may come back: `erased` otherwise, before anything is done'),
  accept: z
    .array(z.strictObject({ invariant: field.name, reason: field.text(1_000) }))
    .max(50)
    .optional()
    .describe('list of `{ invariant, reason }`: invariants by name that it may break; the audit log has it'),
  atOnce: z
    .int()
    .min(1)
    .max(50)
    .optional()
    .describe('how many changes one transaction holds at most, beyond those that belong together'),
});
type Given = z.infer<typeof planInput>;

const pruningOf = ({ prune, pruneShared }: Given): Pruning => ({
  prune: prune === true || pruneShared === true,
  shared: pruneShared === true,
});

/** What `tenant.plan` answers, as JSON. */
export interface PlanAnswer extends Counts {
  readonly changes: readonly PlannedChange[];
  /** At most 1,000 of them. */
  readonly keeps: ManifestPlan['kept'];
  readonly problems: readonly Problem[];
  /** Who loses and who gains what when all of it is done. */
  readonly access: AccessDifference;
  /** Who is refused while it is done, where nobody is in the end; left out where nobody is. An `id` of what is renamed avoids it. */
  readonly between?: AccessSide;
  /** What it breaks of the invariants of its tenants; left out where there are none. */
  readonly invariants?: BrokenInvariants;
  /** What is allowed in a manifest and hardly meant, and who breaks its new invariants already, for people. */
  readonly warning?: string;
}

export type PlannedChange = Omit<Step, 'phase' | 'unit' | 'danger'> & {
  readonly danger?: string;
  /** Of a removal and of a dangerous change: agrees to it in `tenant.apply`. */
  readonly id?: string;
};

interface Counts {
  readonly create: number;
  readonly change: number;
  readonly remove: number;
  readonly dangerous: number;
  readonly kept: number;
  readonly unchanged: number;
}

const MAX_KEPT = 1_000;

/** What a person has to agree to: every removal is dangerous. */
const isToAgree = ({ verb, danger }: Pick<Step, 'verb' | 'danger'>): boolean =>
  verb === 'remove' || danger !== undefined;

const countsOf = ({ steps, kept, unchanged }: ManifestPlan): Counts => {
  const count = (verb: Step['verb']) => steps.filter((step) => step.verb === verb).length;
  return {
    create: count('create'),
    change: count('change'),
    remove: count('remove'),
    dangerous: steps.filter(isToAgree).length,
    kept: kept.length,
    unchanged,
  };
};

/** Follows from what a step does: it is the same in another plan. */
export const idOf = async ({ command, input }: Pick<Step, 'command' | 'input'>): Promise<string> =>
  (await sha256(canonical([command, input]))).slice(0, 16);

/** A manifest that has no problems by itself. Throws `invalid`. */
export const parse = (manifest: unknown): Parsed => {
  const { parsed, problems } = parseManifest(manifest);
  if (!parsed || problems.length > 0) throw problemsError(problems);
  return parsed;
};

const readingOn = (reader: Reader, commands: Commands) => ({
  queries: queriesOn(reader, commands),
  commands,
  idFor: derivedId,
});

async function planOn(
  reader: Reader,
  commands: Commands,
  parsed: Parsed,
  pruning: Pruning,
): Promise<ManifestPlan> {
  const plan = await planManifest(parsed, pruning, readingOn(reader, commands));
  return { ...plan, steps: await withErasures(reader, plan.steps) };
}

/** Throws `invalid` where a part of a whole would remove what is in other parts. */
function refusePrunedPart({ manifest }: Parsed, { prune }: Pruning): void {
  if (manifest.part && prune)
    throw invalid(
      'prune',
      'prune: the manifest is a part of a whole, and what it leaves out may be in other parts',
    );
}

/** What an apply holds until it ends: its tenants; all that belongs to none, where it has no tenant or prunes that. */
async function leaseOn(
  { reader, now, operation }: Planning,
  roots: readonly Ref[],
  { shared }: Pruning,
): Promise<Lease | undefined> {
  if (operation === undefined) return undefined;
  return leaseOf([...roots, ...(shared || roots.length === 0 ? [GLOBAL] : [])], { reader, now, operation });
}

async function rootsOf(reader: Reader, commands: Commands, parsed: Parsed): Promise<readonly Ref[]> {
  const roots = await findRoots(startReading(parsed, readingOn(reader, commands)));
  return roots.map(({ ref }) => parseRef(ref, 'manifest'));
}

const planCommandOf = (commands: Commands): Command =>
  readCommand({
    name: 'tenant.plan',
    summary:
      'Compares a manifest with the table. It answers with the changes in a safe order, what only the table has, and what is wrong with the manifest.',
    input: planInput,
    run: async ({ reader, now }, given): Promise<PlanAnswer & Readonly<Record<string, unknown>>> => {
      const { parsed, problems } = parseManifest(given.manifest);
      if (parsed) refusePrunedPart(parsed, pruningOf(given));
      const differences = (steps: readonly Step[]) =>
        accessDifference(steps, { reader, commands, at: Date.parse(now) });
      const compared: ManifestPlan =
        parsed && problems.length === 0
          ? await planOn(reader, commands, parsed, pruningOf(given))
          : { steps: [], kept: [], unchanged: 0, problems, state: undefined };
      const plan = { ...compared, steps: await withoutGap(compared, differences) };
      const at = Date.parse(now);
      const changed: Copy[] = [];
      let isRefused = false;
      let invariants: BrokenInvariants | undefined;
      const work = async (copy: Copy): Promise<void> => {
        await carryOut(plan.steps, copy, commands, at).catch((error: unknown) => {
          isRefused = error instanceof GatehouseError;
          throw error;
        });
        invariants = await brokenOn(copy, plan, at);
        changed.push(copy);
      };
      const compares = await orWhyNot(accessDifferenceBy(work, { reader, at }));
      // After the difference, of whose reads it would take some.
      const broken = changed.map((copy) => notHolding(copy.actions(), copy.after, at));
      const warnings = [parsed && overriddenDeny(parsed.manifest), ...(await Promise.all(broken))];
      const warning = warnings.filter(Boolean).join('; ') || undefined;
      // Once more, for its place. A copy that was too large is too large for that as well.
      const refused = isRefused ? await refusedStep(plan.steps, { reader, commands, at }) : [];
      const between = await refusedBetween(plan.steps, compares, (steps) => orWhyNot(differences(steps)));
      const leaves = await leftBy(plan.steps, reader);
      const access = { ...compares, ...defined({ leaves }) };
      const changes = plan.steps.map(async (step): Promise<PlannedChange> => {
        const { phase: _, unit: __, danger, ...shown } = step;
        return {
          ...shown,
          ...defined({ danger }),
          ...(isToAgree(step) ? { id: await idOf(step) } : {}),
        };
      });
      return {
        ...countsOf(plan),
        changes: await Promise.all(changes),
        keeps: plan.kept.slice(0, MAX_KEPT),
        problems: [...plan.problems, ...refused],
        access,
        ...defined({ between, invariants, warning }),
      };
    },
  });

/** Who loses and who gains what by a plan. An error of this is said in it, and does not take the plan away. */
async function orWhyNot(difference: Promise<AccessDifference>): Promise<AccessDifference> {
  try {
    return await difference;
  } catch (error) {
    return { loses: NOBODY, gains: NOBODY, incomplete: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof GatehouseError)) throw error;
  return error.message;
}

/** A plan whose last step shows this as well. */
const showing = (shownOnce: Plan['shownOnce'], { next, ...plan }: Plan): Plan => ({
  ...plan,
  ...defined({ shownOnce, next: next && (async (again: Planning) => showing(shownOnce, await next(again))) }),
});

async function assertAgreed(
  steps: readonly Step[],
  { agreed, exact = false }: z.infer<typeof applyInput>,
): Promise<void> {
  if (!agreed && !exact) return;
  const known = new Set(agreed);
  for (const step of steps) {
    if (!(exact || isToAgree(step)) || known.has(await idOf(step))) continue;
    const { verb, kind, label } = step;
    throw conflict(
      'agreed',
      `the table has changed since the plan: now it takes ${verb} ${kind} ${label} as well; plan again`,
    );
  }
}

const applyCommandOf = (commands: Commands): Command =>
  writeCommand({
    name: 'tenant.apply',
    summary:
      'Changes the table to match a manifest, in as many transactions as needed. At no step is anything allowed that neither the state before nor the state after allows. Sent again, it compares anew and continues. While one is under way, another one of the same tenant is refused (`apply_running`). `unfinished` says in `progress` how many changes are done and left.',
    compares: true,
    destructive: {
      undo: `none: ${RESTORE}`,
      when: ({ prune, pruneShared }) => prune === true || pruneShared === true,
    },
    inSteps: true,
    carries: true,
    input: applyInput,
    plan: async (planning, given) => {
      const { reader } = planning;
      const parsed = parse(given.manifest);
      refusePrunedPart(parsed, pruningOf(given));
      const names = await rootsOf(reader, commands, parsed);
      const lease = await leaseOn(planning, names, pruningOf(given));
      const compared = await planOn(reader, commands, parsed, pruningOf(given));
      if (compared.problems.length > 0) throw problemsError(compared.problems);
      const at = Date.parse(planning.now);
      const steps = await withoutGap(compared, (some) => accessDifference(some, { reader, commands, at }));
      const plan = { ...compared, steps };
      assertNoneErased(plan.steps, given.again === true);
      await assertAgreed(plan.steps, given);
      // Who agrees has seen a plan, which says it.
      const refused = given.agreed ? [] : await refusedStep(steps, { reader, commands, at });
      if (refused.length > 0) throw problemsError(refused);
      const { accepted, warning } = await refuseBroken(plan, plan.steps, given.accept ?? [], {
        reader,
        commands,
        at,
      });
      const result = { ...countsOf(plan) };
      // Nobody looks at it where operators are not verified.
      const carries = planning.operator === undefined ? [] : await carriedBy(reader, plan.steps);
      /** From here on what was compared is carried out; whatever has changed meanwhile is found by the conditions. */
      const goOn = async (again: Planning, steps: readonly Step[]): Promise<Plan> => {
        if (steps.length === 0) return { actions: [], audit: [], result };
        const beside = lease ? [lease.release] : [];
        const batch = await nextBatch(again, commands, steps, { atOnce: given.atOnce, beside });
        if (batch.taken === 0) return goOn(again, steps.slice(1));
        return carriedOut(batch, steps.slice(batch.taken), steps[batch.taken - 1]?.phase);
      };
      const about = { result, accepts: given.accept, isOfMany: true } as const;
      const carriedOut = ({ taken, ...batch }: Batch, rest: readonly Step[], phase?: Step['phase']): Plan => {
        const { actions, audit, next } = batch;
        // A step of several transactions is done when its last one is.
        if (next)
          return {
            actions,
            audit,
            ...about,
            next: async (again) => carriedOut({ ...(await next(again)), taken }, rest, phase),
          };
        return {
          actions,
          audit,
          ...about,
          progress: { done: taken, left: rest.length },
          ...(rest.length > 0 ? { next: (again: Planning) => goOn(again, rest) } : {}),
          planAhead: rest[0]?.phase === phase,
        };
      };
      const make = async (again: Planning) => {
        const made = await goOn(again, plan.steps);
        return { ...made, audit: withAccepted(made.audit, accepted) };
      };
      const isDone = plan.steps.length === 0 && lease?.isOwn !== true;
      const first = lease && !isDone ? underLease(make, lease, result) : make;
      return {
        ...showing(warning === undefined ? undefined : { warning }, await first(planning)),
        carries,
        names,
      };
    },
  });

/** `parts` are the commands of which plans are made. */
export const applyCommands = (parts: Commands): readonly Command[] => [
  planCommandOf(parts),
  applyCommandOf(parts),
];
