import './population.integration.test.ts';
