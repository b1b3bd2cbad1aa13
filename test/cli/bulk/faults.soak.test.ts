import './faults.integration.test.ts';
