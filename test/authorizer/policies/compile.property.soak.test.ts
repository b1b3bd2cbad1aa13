import './compile.property.integration.test.ts';
