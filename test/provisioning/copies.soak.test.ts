// On the DynamoDB engine, in more orders.
import './copies.integration.test.ts';
