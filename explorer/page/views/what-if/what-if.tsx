import type { AccessDifference } from '../../../../provisioning/index.ts';
import type { ViewProps } from '../../address.ts';
import { useCommand } from '../../client.ts';
import { Empty } from '../../parts/empty.tsx';
import { Problem } from '../../parts/problem.tsx';
import { ChangeForm } from './change-form.tsx';
import { ChangeList, ChangeText } from './change-list.tsx';
import { type Change, readChanges, writeChanges } from './changes.ts';
import { Difference, Summary } from './difference.tsx';

/** Who would gain and who would lose access by changes, before they are made. */
export function WhatIfView({ state, go }: ViewProps) {
  const text = state.change ?? '';
  const read = readChanges(text);
  const problem = 'problem' in read ? read.problem : undefined;
  const changes = 'changes' in read ? read.changes : [];
  const put = (next: readonly Change[]) => go({ change: writeChanges(next) });
  const compared = useCommand('access.compare', changes.length === 0 ? undefined : { commands: changes });
  const difference = compared.value as AccessDifference | undefined;
  return (
    <>
      <ChangeForm state={state} onAdd={(change) => put([...changes, change])} />
      {changes.length > 0 && <ChangeList changes={changes} onChange={put} />}
      <ChangeText key={text} changes={changes} text={text} problem={problem} onChange={put} />
      <div aria-live="polite" aria-busy={compared.isLoading}>
        {changes.length === 0 && problem === undefined && (
          <Empty title="No change yet">
            Choose a change above: you see who would gain and who would lose access.
          </Empty>
        )}
        {compared.error && <Problem of={compared.error} retry={compared.retry} />}
        {difference && !compared.error && (
          <>
            <Summary of={difference} />
            <p>Nothing was changed.</p>
            <Difference of={difference} state={state} />
          </>
        )}
      </div>
    </>
  );
}
