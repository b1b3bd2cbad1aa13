import { sentenceOf } from '../../../../provisioning/index.ts';
import { type Change, moved } from '../../commands/changes.ts';
import { Sentence } from '../../parts/sentence.tsx';

interface ChangeListProps {
  readonly changes: readonly Change[];
  readonly onChange: (changes: readonly Change[]) => void;
}

/** The changes that are compared together, in their order. */
export function ChangeList({ changes, onChange }: ChangeListProps) {
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

interface SaidProps {
  readonly of: Change;
  /** With what is sent: several may have one name. */
  readonly isWhole?: boolean;
}

/** A change in a sentence; a command that has none as its JSON. */
export function Said({ of, isWhole = false }: SaidProps) {
  const sentence = sentenceOf(of);
  return (
    <span class="change">
      {sentence ? <Sentence of={sentence} /> : of.command}
      {(isWhole || !sentence) && <code> {JSON.stringify(of.input)}</code>}
    </span>
  );
}
