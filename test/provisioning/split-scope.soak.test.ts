import './split-scope.integration.test.ts';
