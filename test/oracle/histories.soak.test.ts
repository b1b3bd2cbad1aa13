import './histories.integration.test.ts';
