import './uniqueness-crowd.integration.test.ts';
