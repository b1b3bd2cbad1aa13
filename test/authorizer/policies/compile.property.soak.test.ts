import './compile.property.test.ts';
