import type { AccessDifference } from '../../../../provisioning/index.ts';
import { useAddress } from '../../address.ts';
import { useCommand } from '../../calls.ts';
import { type Change, commandOf, readChanges, writeChanges } from '../../commands/changes.ts';
import { revokedBy } from '../../commands/sentences.ts';
import { Empty } from '../../parts/empty.tsx';
import { Problem } from '../../parts/problem.tsx';
import { ChangeForm } from './change-form.tsx';
import { ChangeList, ChangeText, Said } from './change-list.tsx';
import { Compared } from './compared.tsx';
import { type Made, Make } from './make.tsx';

export interface ComparisonProps {
  readonly onMade: (made: Made) => void;
  /** Something else is compared now. */
  readonly onOther: () => void;
}

/** Compares a list of commands with the table. */
export function ChangesComparison({ onMade, onOther }: ComparisonProps) {
  const { state, go } = useAddress();
  const text = state.change ?? '';
  const read = readChanges(text);
  const problem = 'problem' in read ? read.problem : undefined;
  const changes = 'changes' in read ? read.changes : [];
  const put = (next: readonly Change[]) => {
    onOther();
    go({ change: writeChanges(next) });
  };
  const input = changes.length === 0 ? undefined : { commands: changes };
  const compared = useCommand<AccessDifference>('access.compare', input);
  const { value: difference } = compared;
  const command = commandOf(changes);
  return (
    <>
      <ChangeForm onAdd={(change) => put([...changes, change])} />
      {changes.length > 0 && <ChangeList changes={changes} onChange={put} />}
      <ChangeText key={text} changes={changes} text={text} problem={problem} onChange={put} />
      {changes.length === 0 && problem === undefined && (
        <Empty title="No change yet">
          Choose a change and add it: this shows who would gain and who would lose access.
        </Empty>
      )}
      {compared.error && <Problem of={compared.error} retry={compared.retry} />}
      <Compared difference={difference} isLoading={compared.isLoading} changes={changes}>
        {command && difference && (
          <Make
            command={command}
            difference={difference}
            revoked={revokedBy(changes, losersIn(difference))}
            onMade={(made) => {
              onMade(made);
              go({ change: undefined }, { replace: true });
            }}
          >
            <ul>
              {changes.map((change) => (
                <li key={JSON.stringify(change)}>
                  <Said of={change} />
                </li>
              ))}
            </ul>
          </Make>
        )}
      </Compared>
    </>
  );
}

/** The people who lose something, as far as they are named. */
export const losersIn = ({ loses }: AccessDifference): readonly string[] => [
  ...new Set(loses.rows.flatMap(({ subjects }) => subjects)),
];
