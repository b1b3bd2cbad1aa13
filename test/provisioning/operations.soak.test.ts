import './operations.test.ts';
