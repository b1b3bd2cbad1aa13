import './mishaps.integration.test.ts';
