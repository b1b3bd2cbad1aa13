import { useId, useState } from 'preact/hooks';
import type { Opened } from './document.ts';

/** More characters are neither a manifest (1 MB) nor a plan of one. */
const MOST_BYTES = 4_194_304;

/** A file with what it holds. */
export interface OpenedFile {
  readonly name: string;
  readonly text: string;
  readonly opened: Opened;
}

/** Reads a text that was opened, by what is loaded for it. */
export async function openText(name: string, text: string): Promise<OpenedFile> {
  const { open } = await import('./document.ts');
  return { name, text, opened: open(name, text) };
}

async function openFile(file: File): Promise<OpenedFile> {
  if (file.size > MOST_BYTES)
    return {
      name: file.name,
      text: '',
      opened: { problem: `${file.name} is larger than a manifest or a plan may be` },
    };
  return openText(file.name, await file.text());
}

export interface FileFieldProps {
  readonly onOpen: (file: OpenedFile) => void;
}

/** A field for a file, which may be dropped on it. The file is read in the page; it is sent to the table’s process only to be compared. */
export function FileField({ onOpen }: FileFieldProps) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const take = async (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file) onOpen(await openFile(file));
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

export interface TextFieldProps extends FileFieldProps {
  /** What is compared now. */
  readonly file: OpenedFile;
}

/** The text of a manifest, to try what another text of it would do. The manifest itself stays as it is. */
export function TextField({ file, onOpen }: TextFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState<string>();
  return (
    <details class="as-text">
      <summary>Change its text, to compare that</summary>
      <label for={id}>A copy of the manifest</label>
      <textarea
        id={id}
        rows={12}
        value={typed ?? file.text}
        spellcheck={false}
        dir="ltr"
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <button
        type="button"
        disabled={typed === undefined || typed === file.text}
        onClick={async () => typed !== undefined && onOpen(await openText(EDITED, typed))}
      >
        Compare this text
      </button>
    </details>
  );
}

const EDITED = 'the changed copy';
