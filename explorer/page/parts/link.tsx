import type { ComponentChildren } from 'preact';
import { linkTo, type Patch, useAddress } from '../address.ts';

export interface LinkProps {
  /** Another view, with what is asked now; left out, it stays in this one, with all of its state. */
  readonly to?: string | undefined;
  /** What it asks otherwise than the address does now. */
  readonly ask?: Patch | undefined;
  readonly class?: string | undefined;
  readonly title?: string | undefined;
  readonly label?: string | undefined;
  readonly current?: 'page' | 'true' | undefined;
  readonly onClick?: (() => void) | undefined;
  readonly children: ComponentChildren;
}

/** A link to a view, or to another state of this one. */
export const Link = ({ to, ask, label, current, ...rest }: LinkProps) => (
  <a href={linkTo(useAddress(), to, ask)} aria-label={label} aria-current={current} {...rest} />
);
