import type { ComponentChildren } from 'preact';

/** What a view says that has nothing to show: why, and what to do next. */
export function Empty({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      <div>{children}</div>
    </div>
  );
}
