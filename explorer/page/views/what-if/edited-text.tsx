import { useState } from 'preact/hooks';
import { TextField, type TextFieldProps } from '../../parts/field.tsx';

export interface EditedTextProps extends Pick<TextFieldProps, 'label' | 'rows' | 'placeholder'> {
  readonly class: string;
  readonly summary: string;
  /** Before it is edited. */
  readonly text: string;
  readonly problemOf?: (text: string) => string | undefined;
  readonly button: string;
  readonly onCompare: (text: string) => void | Promise<void>;
}

/** The text of what is compared, to try what another text of it would do. It is open where the text has a problem. */
export function EditedText({
  class: classes,
  summary,
  text,
  problemOf = () => undefined,
  button,
  onCompare,
  ...field
}: EditedTextProps) {
  const [typed = text, setTyped] = useState<string>();
  const problem = problemOf(typed);
  const compare = async () => {
    await onCompare(typed);
    setTyped(undefined);
  };
  return (
    <details class={classes} open={problemOf(text) !== undefined}>
      <summary>{summary}</summary>
      <TextField {...field} dir="ltr" problem={problem} value={typed} onType={setTyped} />
      <button type="button" disabled={typed === text || problem !== undefined} onClick={compare}>
        {button}
      </button>
    </details>
  );
}
