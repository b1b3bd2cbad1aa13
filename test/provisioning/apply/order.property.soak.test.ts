import './order.property.test.ts';
