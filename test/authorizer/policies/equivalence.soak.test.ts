import './equivalence.integration.test.ts';
