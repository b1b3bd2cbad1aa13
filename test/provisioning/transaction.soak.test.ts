import './transaction.test.ts';
