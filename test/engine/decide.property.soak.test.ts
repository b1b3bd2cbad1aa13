import './decide.property.test.ts';
