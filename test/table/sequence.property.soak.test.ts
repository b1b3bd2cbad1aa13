import './sequence.property.test.ts';
