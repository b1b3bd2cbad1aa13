import './rehearsals.integration.test.ts';
