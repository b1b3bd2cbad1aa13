SELECT subject.type, subject.id, action.name, resource.type, resource.id, context.reason, count(*) AS refusals
FROM decisions
WHERE NOT decision
GROUP BY 1, 2, 3, 4, 5, 6
ORDER BY 7 DESC;
