import './verify-product.test.ts';
