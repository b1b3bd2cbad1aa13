import type { PlannedChange } from '../../../../provisioning/index.ts';
import type { Results } from '../../../service/index.ts';
import { type Client, useClient } from '../../client.ts';
import { counted } from '../../parts/counted.ts';
import { Warning } from '../../parts/field.tsx';

/** How a saved plan compares with what its manifest takes now. */
export type SavedPlanState = ReturnType<typeof stateOfPlan>;

const textOf = ({ command, input }: PlannedChange): string => JSON.stringify([command, input]);

/** @param data the saved plan, of which the service found that it is one */
export function stateOfPlan(data: Readonly<Record<string, unknown>>, { plan, beyond }: Results['savedPlan']) {
  const others = new Set(beyond.map(textOf));
  const changes = Array.isArray(data.changes) ? data.changes.length : 0;
  return {
    /** Whether it takes nothing now that the plan does not have. */
    isCurrent: beyond.length === 0,
    /** Whether the plan does not have a change. */
    beyond: (change: PlannedChange) => others.has(textOf(change)),
    changesBeyond: beyond.length,
    /** Changes of the plan, and how many of them are done already. */
    changes,
    done: changes - (plan.changes.length - beyond.length),
  };
}

type Here = Pick<Client, 'about' | 'manifest'>;

const withoutArticle = (place: string): string => place.replace(/^the /, '');

/** Whether a plan is for the table of this page. That of the playground is nobody's: anything may be tried on it. */
export const isForPlace = (place: string | undefined, { about, manifest }: Here): boolean =>
  manifest !== undefined || (place !== undefined && withoutArticle(place) === withoutArticle(about.place));

/** The same of a manifest, which may name its table. */
export const isForTable = (table: unknown, { about, manifest }: Here): boolean =>
  manifest !== undefined || table === undefined || about.place.startsWith(`table ${String(table)} `);

export interface SavedPlanNoteProps {
  readonly saved: Results['savedPlan']['saved'];
  readonly of: SavedPlanState;
}

/** Which plan it is, and whether it is still current. */
export function SavedPlanNote({
  saved,
  of: { isCurrent, changesBeyond, changes, done },
}: SavedPlanNoteProps) {
  const client = useClient();
  const { place, madeAt, prune, pruneShared } = saved;
  return (
    <>
      <p>
        A plan of {counted(changes, 'change')}
        {pruneShared ? ' with --prune-shared' : prune ? ' with --prune' : ''} for <bdi>{place}</bdi>, made{' '}
        <bdi>{madeAt}</bdi>. It is compared with{' '}
        <bdi>{client.manifest === undefined ? client.about.place : 'the table in this page'}</bdi>.
      </p>
      {!isForPlace(place, client) && (
        <Warning>
          <strong>It is for another table,</strong> and cannot be applied here.
        </Warning>
      )}
      {isCurrent ? (
        <p class="current" role="status">
          <span aria-hidden="true">✓</span> <strong>The plan is current.</strong>
          {done > 0 && ` ${done.toLocaleString('en')} of ${counted(changes, 'change')} are done already.`}
        </p>
      ) : (
        <Warning role="status">
          <strong>The plan is out of date.</strong> The table has changed since: it takes{' '}
          {counted(changesBeyond, 'change')} now that the plan does not have. Plan again.
        </Warning>
      )}
    </>
  );
}
