import './verify-product.integration.test.ts';
