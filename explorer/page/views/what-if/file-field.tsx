import { useId, useState } from 'preact/hooks';
import { TextField } from '../../parts/field.tsx';
import { type OpenedFile, readFile, readOpened } from './opened-file.ts';

export interface FileFieldProps {
  readonly onOpen: (file: OpenedFile) => void;
}

/** A field for a file, which may be dropped on it. The page reads it, and sends what it holds to be compared. */
export function FileField({ onOpen }: FileFieldProps) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const take = async (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file) onOpen(await readFile(file));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: to drop a file is one more way; the field is the one for keyboards
    <div
      class={isOver ? 'file over' : 'file'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <label for={id}>
        A manifest, or a plan that gatehouse plan --out wrote: choose the file, or drop it here
      </label>
      <input id={id} type="file" onChange={({ currentTarget }) => take(currentTarget.files)} />
    </div>
  );
}

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
