namespace CoAP.NET.Orleans.Tests.Devices;

/// <summary>A device that connects to silos and can be asked back.</summary>
internal sealed class TestDevice
{
    private int _asked;

    public TestDevice(CoapServer server)
    {
        Server = server;
        server.MapGet("/state", () => Answer("state"));
        server.MapPost("/do", (CoapRequestContext request) => Answer($"did {request.GetText()}"));
        server.MapPut("/things/{id}", (CoapRequestContext request) =>
            Answer($"{request.Path} {string.Join('&', request.Queries)} {request.Options.IfMatch.Count} {request.GetText()}"));
    }

    public CoapServer Server { get; }

    /// <summary>The number of requests it has served.</summary>
    public int Asked => Volatile.Read(ref _asked);

    /// <summary>Says something to a silo, in a session that is opened for it, and waits until the silo has reported it.</summary>
    public async Task ConnectAsync(TestSilo silo)
    {
        long before = silo.Gateway.ReportedCount;
        await Server.Endpoint.GetAsync($"coaps://{silo.Address}/hello");
        await Eventually.IsTrueAsync(() => silo.Gateway.ReportedCount > before);
    }

    private string Answer(string text)
    {
        Interlocked.Increment(ref _asked);
        return text;
    }
}
