import './role-templates.integration.test.ts';
