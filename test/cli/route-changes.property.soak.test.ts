import './route-changes.property.integration.test.ts';
