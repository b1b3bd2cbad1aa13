import type { ComponentChildren } from 'preact';

interface DetailProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

/** An entry of a list of details: a name and what there is of it. */
export const Detail = ({ name, children }: DetailProps) => (
  <div>
    <dt>
      <bdi>{name}</bdi>
    </dt>
    <dd>{children}</dd>
  </div>
);
