/** What a read notes of itself for whoever asked, while it goes on. */
export interface ReadNotes {
  /** Whether its items were not all read at once: those that were left unread came later than the others. */
  isApart: boolean;
  /** Calls to DynamoDB; the SDK's own second attempts are not counted. */
  calls: number;
  /** Read units spent, as DynamoDB states them (4 KB each); undefined: not asked for. */
  units: number | undefined;
}

/** Notes for nobody. */
export const noNotes = (): ReadNotes => ({ isApart: false, calls: 0, units: undefined });

/** What a request must say so that its answer states the units. */
export const askUnits = ({ units }: ReadNotes): { readonly ReturnConsumedCapacity?: 'TOTAL' } =>
  units === undefined ? {} : { ReturnConsumedCapacity: 'TOTAL' };

/** Notes a call that was answered. */
export function noteUnits(
  notes: ReadNotes,
  consumed: readonly { readonly CapacityUnits?: number | undefined }[] | undefined,
): void {
  if (notes.units === undefined) return;
  for (const { CapacityUnits: units = 0 } of consumed ?? []) notes.units += units;
}
