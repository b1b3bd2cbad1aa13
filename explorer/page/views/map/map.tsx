import type { ViewProps } from '../../address.ts';
import { Empty } from '../../parts/empty.tsx';

export function MapView(_: ViewProps) {
  return <Empty title="Nothing to show yet">This view is being built.</Empty>;
}
