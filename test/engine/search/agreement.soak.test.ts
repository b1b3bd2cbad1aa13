import './agreement.integration.test.ts';
