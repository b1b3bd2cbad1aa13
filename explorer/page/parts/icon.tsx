/** A line drawing of 16 by 16, in strokes of the text's colour. It stands beside a word. */
export const Icon = ({ path }: { readonly path: string }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <path d={path} />
  </svg>
);
