import './order.integration.test.ts';
