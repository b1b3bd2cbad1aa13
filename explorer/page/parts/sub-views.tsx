export interface SubViewsProps<Name extends string> {
  /** What they are, for screen readers. */
  readonly label: string;
  readonly titles: Readonly<Record<Name, string>>;
  readonly current: Name;
  readonly addressOf: (name: Name) => string;
}

/** The parts of a view of which one is shown, as links. */
export function SubViews<Name extends string>({ label, titles, current, addressOf }: SubViewsProps<Name>) {
  return (
    <nav class="sub-views" aria-label={label}>
      {(Object.entries(titles) as [Name, string][]).map(([name, title]) => (
        <a key={name} href={addressOf(name)} aria-current={name === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
