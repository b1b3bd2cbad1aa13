import './isolation.property.test.ts';
