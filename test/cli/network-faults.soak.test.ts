import './network-faults.integration.test.ts';
