import './order.test.ts';
