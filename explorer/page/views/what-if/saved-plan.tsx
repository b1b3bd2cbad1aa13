import type { Results } from '../../../service/index.ts';
import { type Client, useClient } from '../../client.ts';
import { counted } from '../../parts/counted.ts';
import { Warning } from '../../parts/field.tsx';

type SavedPlan = Results['savedPlan'];

/** How many changes there are that a saved plan does not have: with none it is current. */
export const beyondIn = ({ plan }: SavedPlan): number =>
  plan.changes.filter(({ isBeyond }) => isBeyond).length;

type Here = Pick<Client, 'about' | 'manifest'>;

const withoutArticle = (place: string): string => place.replace(/^the /, '');

/** Whether a plan is for the table of this page. That of the playground is nobody's: anything may be tried on it. */
export const isForPlace = (place: string, { about, manifest }: Here): boolean =>
  manifest !== undefined || withoutArticle(place) === withoutArticle(about.place);

/** The same of a manifest, which may name its table. */
export const isForTable = (table: unknown, { about, manifest }: Here): boolean =>
  manifest !== undefined || table === undefined || about.place.startsWith(`table ${String(table)} `);

/** Which plan it is, and whether it is still current. */
export function SavedPlanNote({ of }: { readonly of: SavedPlan }) {
  const client = useClient();
  const { place, madeAt, prune, pruneShared, changes: saved } = of.saved;
  const changes = counted(saved.length, 'change');
  const beyond = beyondIn(of);
  const done = saved.length - (of.plan.changes.length - beyond);
  return (
    <>
      <p>
        A plan of {changes}
        {pruneShared ? ' with --prune-shared' : prune ? ' with --prune' : ''} for <bdi>{place}</bdi>, made{' '}
        <bdi>{madeAt}</bdi>. It is compared with{' '}
        <bdi>{client.manifest === undefined ? client.about.place : 'the table in this page'}</bdi>.
      </p>
      {!isForPlace(place, client) && (
        <Warning>
          <strong>It is for another table,</strong> and cannot be applied here.
        </Warning>
      )}
      {beyond === 0 ? (
        <p class="current" role="status">
          <span aria-hidden="true">✓</span> <strong>The plan is current.</strong>
          {done > 0 && ` ${done.toLocaleString('en')} of ${changes} are done already.`}
        </p>
      ) : (
        <Warning role="status">
          <strong>The plan is out of date.</strong> The table has changed since: it takes{' '}
          {counted(beyond, 'change')} now that the plan does not have. Plan again.
        </Warning>
      )}
    </>
  );
}
