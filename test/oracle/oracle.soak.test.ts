import './oracle.test.ts';
