import { administration } from './administration.ts';
import type { Question } from './answer.ts';
import { asked } from './asked.ts';
import { bill } from './bill.ts';
import { capacity } from './capacity.ts';
import { others } from './others.ts';
import { request } from './request.ts';
import { start } from './start.ts';

/** The questions of docs/performance.md, in its order. */
export const QUESTIONS: readonly Question[] = [request, start, capacity, bill, others, administration, asked];
