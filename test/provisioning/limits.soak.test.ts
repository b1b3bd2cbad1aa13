import './limits.integration.test.ts';
