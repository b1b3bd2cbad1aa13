import { describe } from 'vitest';
import { createMemoryTable } from '../../table/memory/index.ts';
import { conforms } from './conformance.ts';

describe('in memory:', () => {
  conforms(async () => createMemoryTable());
});
