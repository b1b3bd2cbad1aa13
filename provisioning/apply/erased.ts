import { GatehouseError } from '../../table/errors.ts';
import type { Reader } from '../../table/reader.ts';
import { erasedOn, erasuresOf } from '../nodes/erasures.ts';
import { pointerOf } from './problem.ts';
import type { Step } from './steps.ts';

/** A manifest may be older than an erasure: a plan says whom it would bring back, and an apply wants a word for it. */

type Created = Pick<Step, 'command' | 'input' | 'label' | 'path'> & { readonly danger?: string | undefined };

/**
 * Throws `erased` where steps bring back users who were erased.
 *
 * @param again whether that is meant
 */
export function assertNoneErased(steps: readonly Created[], again: boolean): void {
  const back = steps.filter(({ command, input }) => command === 'user.create' && input.again === true);
  const [first] = back;
  if (!first || again) return;
  const others = back.length === 1 ? '' : `, and ${back.length - 1} others were erased too`;
  throw new GatehouseError(
    'erased',
    `user ${first.label} was ${first.danger}${others}: nothing was done; with --again (the field again) they come back`,
    { field: `manifest${pointerOf(first.path)}` },
  );
}

/** The steps, those marked that create a user who was erased: one read by key for each hundred new users. */
export async function withErasures(reader: Reader, steps: readonly Step[]): Promise<readonly Step[]> {
  const made = steps.filter(({ command }) => command === 'user.create');
  const found = await erasuresOf(
    reader,
    made.map(({ input }) => String(input.id)),
  );
  const erasures = new Map(made.map((step, position) => [step, found[position]]));
  return steps.map((step) => {
    const erasure = erasures.get(step);
    if (!erasure) return step;
    return { ...step, input: { ...step.input, again: true }, danger: erasedOn(erasure) };
  });
}
