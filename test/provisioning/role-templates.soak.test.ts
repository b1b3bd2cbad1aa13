import './role-templates.test.ts';
