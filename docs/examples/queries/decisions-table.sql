CREATE EXTERNAL TABLE decisions (
  `timestamp` string,
  service string,
  process string,
  sequence bigint,
  requestId string,
  rate double,
  kind string,
  subject struct<type:string,id:string>,
  action struct<name:string>,
  resource struct<type:string,id:string>,
  decision boolean,
  context struct<reason:string,route:string,api:string,tenant:string>
)
ROW FORMAT SERDE 'org.openx.data.jsonserde.JsonSerDe'
WITH SERDEPROPERTIES ('case.insensitive' = 'true')
LOCATION 's3://BUCKET/PREFIX/';
