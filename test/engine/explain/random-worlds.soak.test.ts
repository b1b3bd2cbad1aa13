import './random-worlds.test.ts';
