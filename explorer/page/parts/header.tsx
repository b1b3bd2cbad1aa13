import type { ComponentChildren } from 'preact';

export interface HeaderProps {
  readonly title: string;
  /** Which table it is. */
  readonly place: string;
  readonly children?: ComponentChildren;
}

/** The top of the page. */
export function Header({ title, place, children }: HeaderProps) {
  return (
    <header class="top">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the view
      </button>
      <img src="icon.svg" alt="" width="24" height="24" />
      <strong>{title}</strong>
      <span class="place">
        <bdi>{place}</bdi>
      </span>
      {children}
    </header>
  );
}
