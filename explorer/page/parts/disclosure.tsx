import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export interface DisclosureProps {
  readonly summary: ComponentChildren;
  /** Made when it is opened for the first time: nothing is read before. */
  readonly children: () => ComponentChildren;
  readonly isOpen?: boolean;
  readonly class?: string;
}

/** What is loaded on demand. */
export function Disclosure({ summary, children, isOpen = false, class: classes }: DisclosureProps) {
  const [wasOpened, setOpened] = useState(isOpen);
  return (
    <details
      class={classes}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) setOpened(true);
      }}
    >
      <summary>{summary}</summary>
      {wasOpened && <div class="inner">{children()}</div>}
    </details>
  );
}
