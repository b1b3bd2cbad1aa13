import './stamps.test.ts';
