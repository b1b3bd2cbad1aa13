import { readDocument } from '../../../cli/document.ts';
import { applyPlan } from '../../../cli/manifest/apply.ts';
import { exportManifest } from '../../../cli/manifest/export.ts';
import { readManifest } from '../../../cli/manifest/file.ts';
import { lookWith, type Provision } from '../../../cli/manifest/look.ts';
import { planManifest } from '../../../cli/manifest/plan.ts';
import type { Step } from '../../../cli/manifest/steps.ts';
import type { World } from '../../support/world.ts';

/** Manifests on the table of a world, without the command line around them. */
export const planOn = (world: World, text: string, prune = true, shared = prune) =>
  planManifest(readManifest(readDocument('test.yaml', text)), world.provision, { prune, shared });

/** Plans and applies; `after` runs after every transaction, with the last step of it. */
export async function applyOn(
  world: World,
  text: string,
  {
    prune = true,
    after,
    atOnce,
  }: { prune?: boolean; after?: (step: Step) => Promise<void>; atOnce?: number | undefined } = {},
): Promise<readonly Step[]> {
  const plan = await planOn(world, text, prune);
  const steps = new Map(plan.steps.map((step) => [step.input, step]));
  interface Sent {
    readonly input: Step['input'] & { readonly commands?: readonly Sent[] };
  }
  const provision: Provision = async (event) => {
    const answer = await world.provision(event);
    const { input } = event as Sent;
    const step = steps.get(input.commands?.at(-1)?.input ?? input);
    if (step && answer.ok) await after?.(step);
    return answer;
  };
  await applyPlan(plan, {
    provision,
    actor: 'test',
    onProgress: () => {},
    isInterrupted: () => false,
    atOnce,
  });
  return plan.steps;
}

export const exportOn = async (world: World, apis: readonly string[] = ['default']) =>
  (await exportManifest(lookWith(world.provision), { roots: undefined, apis, ids: true })).manifest;

/** Everything that is allowed, as `subject permission scope`. */
export async function allowedIn(
  world: World,
  subjects: readonly string[],
  permissions: readonly string[],
  scopes: readonly string[],
): Promise<ReadonlySet<string>> {
  world.settle();
  const questions = subjects.flatMap((subject) =>
    permissions.flatMap((permission) => scopes.map((scope) => ({ subject, permission, scope }))),
  );
  const at = world.clock.now();
  const { decisions } = await world.newEngine().checkMany(questions.map((question) => ({ ...question, at })));
  return new Set(
    questions
      .filter((_, position) => decisions[position]?.allowed)
      .map(({ subject, permission, scope }) => `${subject} ${permission} ${scope}`),
  );
}
