import './newer-forms.test.ts';
