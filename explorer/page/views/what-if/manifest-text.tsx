import { useState } from 'preact/hooks';
import { TextField } from '../../parts/field.tsx';
import { type OpenedFile, readOpened } from './opened-file.ts';

export interface ManifestTextProps {
  readonly onOpen: (file: OpenedFile) => void;
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
