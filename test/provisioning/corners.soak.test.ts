import './corners.integration.test.ts';
