import { useState } from 'preact/hooks';

export interface CopyProps {
  readonly title: string;
  /** Said when it is done. */
  readonly done: string;
  /** What is copied: the address of the page if left out. */
  readonly text?: string;
  readonly disabled?: boolean;
}

/** Puts a text into the clipboard, and says whether it did. */
export function Copy({ title, done, text, disabled }: CopyProps) {
  const [said, setSaid] = useState('');
  const copy = () => {
    // The clipboard is not there unless the page is served over TLS or from this machine.
    const written = navigator.clipboard?.writeText(text ?? location.href) ?? Promise.reject();
    const otherwise = text === undefined ? 'copy the address of this page' : 'select the text and copy it';
    written.then(
      () => setSaid(done),
      () => setSaid(`the browser does not allow it: ${otherwise}`),
    );
  };
  return (
    <>
      <button type="button" disabled={disabled} onClick={copy}>
        {title}
      </button>{' '}
      <span role="status" class="said">
        {said}
      </span>
    </>
  );
}
