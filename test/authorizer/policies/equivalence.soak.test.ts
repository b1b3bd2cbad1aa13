import './equivalence.test.ts';
