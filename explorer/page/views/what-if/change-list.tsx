import { useState } from 'preact/hooks';
import { sentenceOf } from '../../../../provisioning/index.ts';
import { type Change, moved, readChanges, writeChanges } from '../../commands/changes.ts';
import { TextField } from '../../parts/field.tsx';
import { Sentence } from '../../parts/sentence.tsx';

interface Changes {
  readonly changes: readonly Change[];
  readonly onChange: (changes: readonly Change[]) => void;
}

/** The changes that are compared together, in their order. */
export function ChangeList({ changes, onChange }: Changes) {
  return (
    <ol class="changes" aria-label="Changes, in their order">
      {changes.map((change, position) => {
        const number = position + 1;
        const move = (sign: string, name: string, by: -1 | 1, isEnd: boolean) => (
          <button
            type="button"
            aria-label={`Move change ${number} ${name}`}
            disabled={isEnd}
            onClick={() => onChange(moved(changes, position, by))}
          >
            {sign}
          </button>
        );
        return (
          <li key={JSON.stringify(change)}>
            <Said of={change} />
            <span class="buttons">
              {changes.length > 1 && move('↑', 'up', -1, position === 0)}
              {changes.length > 1 && move('↓', 'down', 1, number === changes.length)}
              <button
                type="button"
                aria-label={`Take change ${number} out`}
                onClick={() => onChange(changes.toSpliced(position, 1))}
              >
                ✕
              </button>
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/** A change in a sentence; a command that has none as its JSON. */
export function Said({ of }: { readonly of: Change }) {
  const sentence = sentenceOf(of);
  return (
    <span class="change">
      {sentence ? (
        <Sentence of={sentence} />
      ) : (
        <>
          {of.command} <code>{JSON.stringify(of.input)}</code>
        </>
      )}
    </span>
  );
}

export interface ChangeTextProps extends Changes {
  /** What is wrong with the text in the address. */
  readonly problem: string | undefined;
  readonly text: string;
}

/** The same changes as JSON: any command may be among them. */
export function ChangeText({ changes, text, problem, onChange }: ChangeTextProps) {
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? (problem === undefined ? pretty(changes) : text);
  const read = typed === undefined ? undefined : readChanges(typed);
  const wrong = read === undefined ? problem : 'problem' in read ? read.problem : undefined;
  return (
    <details class="as-json" open={problem !== undefined}>
      <summary>Any command, as JSON</summary>
      <TextField
        label="A list of commands with their inputs, in their order"
        rows={8}
        dir="ltr"
        placeholder={EXAMPLE}
        problem={wrong}
        value={shown}
        onType={setTyped}
      />
      <button
        type="button"
        disabled={read === undefined || 'problem' in read}
        onClick={() => {
          if (!read || 'problem' in read) return;
          setTyped(undefined);
          onChange(read.changes);
        }}
      >
        Compare these commands
      </button>
    </details>
  );
}

const EXAMPLE = '[{ "command": "role.delete", "input": { "id": "…" } }]';

const pretty = (changes: readonly Change[]): string => {
  const lines = changes.map((change) => `  ${writeChanges([change])?.slice(1, -1)}`);
  return lines.length === 0 ? '' : `[\n${lines.join(',\n')}\n]`;
};
