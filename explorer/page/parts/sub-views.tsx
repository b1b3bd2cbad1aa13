import type { Patch } from '../address.ts';
import { Link } from './link.tsx';

export interface SubViewsProps<Name extends string> {
  /** What they are, for screen readers. */
  readonly label: string;
  readonly titles: Readonly<Record<Name, string>>;
  readonly current: Name;
  /** Their view, where what was asked in another part does not stay. */
  readonly to?: string;
  readonly askOf: (name: Name) => Patch;
}

/** The parts of a view of which one is shown, as links. */
export function SubViews<Name extends string>({ label, titles, current, to, askOf }: SubViewsProps<Name>) {
  return (
    <nav class="sub-views" aria-label={label}>
      {(Object.entries(titles) as [Name, string][]).map(([name, title]) => (
        <Link key={name} to={to} ask={askOf(name)} current={name === current ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
