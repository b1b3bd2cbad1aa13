// NGINX (njs) as an enforcement point: asks the decision point before a request is passed on. Any fault is a
// refusal. See nginx.conf.
async function decide(r) {
  const question = {
    subject: { type: 'user', id: r.variables.authzen_user || '' },
    action: { name: r.variables.authzen_action || '' },
    resource: { type: 'record', id: r.variables.authzen_record || '' },
    context: { ip: r.variables.remote_addr, method: r.variables.request_method },
  };
  try {
    const answer = await ngx.fetch(`${r.variables.authzen_url}/access/v1/evaluation`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${r.variables.authzen_token}`,
        'Content-Type': 'application/json',
        'X-Request-ID': r.variables.request_id,
      },
      body: JSON.stringify(question),
    });
    const isAllowed = answer.status === 200 && (await answer.json()).decision === true;
    r.return(isAllowed ? 204 : 403);
  } catch (fault) {
    r.error(`no decision: ${fault.message}`);
    r.return(500);
  }
}

export default { decide };
