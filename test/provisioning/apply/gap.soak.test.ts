import './gap.test.ts';
