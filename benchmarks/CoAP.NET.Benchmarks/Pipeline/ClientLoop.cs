namespace CoAP.NET.Benchmarks;

/// <summary>Sends requests of a case, some at a time, each to another peer, and checks every response.</summary>
internal sealed class ClientLoop(MemoryClient memory, ClientWork work, int depth)
{
    private static readonly CoapContent s_content = CoapContent.Binary(new byte[64]);

    private readonly CoapRequest[] _kept = [.. memory.Uris.Select(uri => new CoapRequest(CoapMethod.Get, uri))];
    private readonly Task<CoapResponse>[] _waiting = new Task<CoapResponse>[depth];
    private int _turn;

    public async Task RunAsync(int requests)
    {
        for (int sent = 0; sent < requests; sent += depth)
        {
            for (int i = 0; i < depth; i++)
            {
                _waiting[i] = Send(_turn++ % memory.Uris.Length);
            }

            if (memory.DeliverAnswers() is int answers && answers != depth)
            {
                throw new InvalidOperationException($"{work}: {answers} answers to {depth} requests.");
            }

            for (int i = 0; i < depth; i++)
            {
                CoapResponse response = await _waiting[i].ConfigureAwait(false);
                if (response.Code != CoapCode.Content && (work != ClientWork.Post || response.Code != CoapCode.Changed))
                {
                    throw new InvalidOperationException($"{work}: the response is {response}.");
                }
            }
        }
    }

    private Task<CoapResponse> Send(int peer) => work switch
    {
        ClientWork.Get => memory.Client.GetAsync(memory.Uris[peer]),
        ClientWork.GetKept => memory.Client.SendAsync(_kept[peer]),
        ClientWork.GetNon => memory.Client.SendAsync(new CoapRequest(CoapMethod.Get, memory.Uris[peer]) { Confirmable = false }),
        _ => memory.Client.PostAsync(memory.Uris[peer], s_content),
    };
}
