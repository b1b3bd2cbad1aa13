import './interleaving.test.ts';
