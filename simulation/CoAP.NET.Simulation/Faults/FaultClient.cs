using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Faults;

/// <summary>The client that is hit: a peer of its own, whose port says whom a fault is for.</summary>
internal sealed class FaultClient(FaultRig rig, string scheme, CoapEndpointOptions options) : IAsyncDisposable
{
    private static readonly CoapCounter[] s_counters = [CoapCounter.HandlerErrors, CoapCounter.StageErrors, CoapCounter.EncodeErrors];
    private static readonly TimeSpan s_guard = TimeSpan.FromMinutes(2);

    public string Scheme => scheme;

    /// <summary>How long it waits for an answer. Short where none may come.</summary>
    public TimeSpan Patience { get; set; } = TimeSpan.FromMinutes(1);

    public CoapClient Client { get; } = new(options);

    public string Uri(string path) => rig.Uri(scheme, path);

    public CoapRequest Request(CoapMethod method, string path) => new(method, Uri(path)) { Timeout = Patience };

    /// <summary>The port that the server sees, which only the server can tell.</summary>
    public async Task<int> FindPortAsync() =>
        int.Parse((await SendAsync(CoapMethod.Get, "/port")).EnsureSuccess().GetText(), CultureInfo.InvariantCulture);

    public Task<CoapResponse> SendAsync(CoapMethod method, string path, CoapContent? content = null)
    {
        CoapRequest request = Request(method, path);
        request.Content = content;
        return Client.SendAsync(request).WaitAsync(s_guard);
    }

    /// <summary>What came of a request: its code, or the type of the exception.</summary>
    public async Task<string> OutcomeAsync(CoapMethod method, string path, CoapContent? content = null)
    {
        try
        {
            return (await SendAsync(method, path, content)).Code.ToString();
        }
        catch (CoapException exception)
        {
            return exception.GetType().Name;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await Client.DisposeAsync();
        foreach (CoapCounter counter in s_counters)
        {
            rig.ClientCounters.Add(counter, Client.Endpoint.Counters[counter]);
        }
    }
}
