/** Entry of the table in memory. */
export type { Faults, Schedule } from './faults.ts';
export { createMemoryTable, type MemoryTable, type MemoryTableOptions } from './memory-table.ts';
