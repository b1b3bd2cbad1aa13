import type { AccessDifference } from '../../../../provisioning/index.ts';
import { useAddress } from '../../address.ts';
import { useCommand } from '../../calls.ts';
import { type Change, commandOf, readChanges, writeChanges } from '../../commands/changes.ts';
import { revokedBy } from '../../commands/sentences.ts';
import { Empty } from '../../parts/empty.tsx';
import { Problem } from '../../parts/problem.tsx';
import { ChangeForm } from './change-form.tsx';
import { ChangeList, Said } from './change-list.tsx';
import { Compared } from './compared.tsx';
import { EditedText } from './edited-text.tsx';
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
  const { changes, problem } = readChanges(text);
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
      <EditedText
        key={text}
        class="as-json"
        summary="Any command, as JSON"
        label="A list of commands with their inputs, in their order"
        rows={8}
        placeholder={EXAMPLE}
        text={problem === undefined ? pretty(changes) : text}
        problemOf={(typed) => readChanges(typed).problem}
        button="Compare these commands"
        onCompare={(typed) => put(readChanges(typed).changes)}
      />
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
            isLoading={compared.isLoading}
            refresh={compared.retry}
            revoked={revokedBy(changes, losersIn(difference))}
            onMade={(made) => {
              onMade(made);
              go({ change: undefined }, { replace: true });
            }}
          >
            <ul>
              {changes.map((change) => (
                <li key={JSON.stringify(change)}>
                  <Said of={change} isWhole />
                </li>
              ))}
            </ul>
          </Make>
        )}
      </Compared>
    </>
  );
}

const EXAMPLE = '[{ "command": "role.delete", "input": { "id": "…" } }]';

const pretty = (changes: readonly Change[]): string => {
  const lines = changes.map((change) => `  ${writeChanges([change])?.slice(1, -1)}`);
  return lines.length === 0 ? '' : `[\n${lines.join(',\n')}\n]`;
};

/** The people who lose something, as far as they are named. */
export const losersIn = ({ loses }: AccessDifference): readonly string[] => [
  ...new Set(loses.rows.flatMap(({ subjects }) => subjects)),
];
