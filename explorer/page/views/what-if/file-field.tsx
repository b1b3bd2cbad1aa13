import { useState } from 'preact/hooks';
import { Field, TextField } from '../../parts/field.tsx';
import { type OpenedFile, readFile, readOpened } from './opened-file.ts';

export interface FileFieldProps {
  readonly onOpen: (file: OpenedFile) => void;
}

/** A field for a file, which may be dropped on it. The page reads it, and sends what it holds to be compared. */
export const FileField = ({ onOpen }: FileFieldProps) => (
  <Field
    class="dropped-on"
    label="A manifest, or a plan that gatehouse plan --out wrote: choose the file, or drop it here"
  >
    {(control) => (
      <input
        {...control}
        type="file"
        onChange={async ({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) onOpen(await readFile(file));
        }}
      />
    )}
  </Field>
);

export interface ManifestTextProps extends FileFieldProps {
  /** What is compared now. */
  readonly file: OpenedFile;
}

/** The text of a manifest, to try what another text of it would do. The manifest itself stays as it is. */
export function ManifestText({ file, onOpen }: ManifestTextProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <details class="as-text">
      <summary>Change its text, to compare that</summary>
      <TextField
        label="A copy of the manifest"
        rows={12}
        dir="ltr"
        value={typed ?? file.text}
        onType={setTyped}
      />
      <button
        type="button"
        disabled={typed === undefined || typed === file.text}
        onClick={async () => typed !== undefined && onOpen(await readOpened(EDITED, typed))}
      >
        Compare this text
      </button>
    </details>
  );
}

const EDITED = 'the changed copy';
