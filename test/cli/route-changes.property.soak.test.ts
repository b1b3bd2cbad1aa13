import './route-changes.property.test.ts';
