import './oracle.integration.test.ts';
