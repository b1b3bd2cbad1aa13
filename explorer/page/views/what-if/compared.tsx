import type { ComponentChildren } from 'preact';
import type { AccessDifference, Change } from '../../../../provisioning/index.ts';
import { newNamesIn } from '../../commands/sentences.ts';
import { MoreNames } from '../../names.tsx';
import { Against } from './against.tsx';
import { Difference, Summary } from './difference.tsx';

export interface ComparedProps {
  /** Of what was compared last. */
  readonly difference: AccessDifference | undefined;
  /** Something else is being compared: the difference is of what was compared before. */
  readonly isLoading: boolean;
  /** What is compared. */
  readonly changes: readonly Change[];
  /** What can be done. */
  readonly children?: ComponentChildren;
}

/** A difference in access, and how far its comparison is. */
export function Compared({ difference, isLoading, changes, children }: ComparedProps) {
  return (
    <MoreNames of={newNamesIn(changes)}>
      <div role="status">
        {isLoading && <p class="loading">Comparing…</p>}
        {difference && !isLoading && (
          <>
            <Summary of={difference} />
            <p>
              <strong>Nothing was changed.</strong> A linked name or permission opens its Why, as it is before
              the change.
            </p>
          </>
        )}
      </div>
      {children}
      {difference && (
        <div class={isLoading ? 'outdated' : undefined} aria-busy={isLoading}>
          <Difference of={difference} />
        </div>
      )}
      {difference && changes.length > 0 && <Against changes={changes} />}
    </MoreNames>
  );
}
