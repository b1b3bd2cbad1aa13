import './split-groups.test.ts';
