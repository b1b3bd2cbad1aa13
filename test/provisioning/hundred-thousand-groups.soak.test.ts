import './hundred-thousand-groups.test.ts';
