import './split-reused-ids.integration.test.ts';
