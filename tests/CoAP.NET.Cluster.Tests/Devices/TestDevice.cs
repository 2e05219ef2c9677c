namespace CoAP.NET.Cluster.Tests.Devices;

/// <summary>A device that connects to nodes and can be asked back.</summary>
internal sealed class TestDevice
{
    private readonly string _scheme;
    private int _asked;

    public TestDevice(CoapServer server, CoapAddress address, string scheme)
    {
        Server = server;
        Address = address;
        _scheme = scheme;
        server.MapGet("/state", () => CoapResults.Text(Note("state")));
        server.MapPost("/do", (CoapRequestContext request) => CoapResults.Text(Note($"did {request.GetText()}")));
        server.MapPut("/set", (CoapRequestContext request) => CoapResults.Text(Note($"set {request.GetText()}")));
    }

    public CoapServer Server { get; }

    public CoapAddress Address { get; }

    /// <summary>How often it was asked something.</summary>
    public int Asked => Volatile.Read(ref _asked);

    /// <summary>What it did, in order.</summary>
    public List<string> Done { get; } = [];

    /// <summary>Says something to a node, in a session that is opened for it if there is none.</summary>
    public Task<CoapResponse> SpeakAsync(DeviceNode node) => Server.Endpoint.GetAsync(
        $"{_scheme}://{node.Address with { Port = (ushort)(_scheme == "coaps" ? 5684 : 5683) }}/hello");

    /// <summary>Says something without hearing the answer, and goes on to be deaf.</summary>
    public Task SpeakAsync(DeviceNode node, bool isDeaf, DeviceWorld world)
    {
        world.SetDeaf(this, isDeaf);
        return Server.Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, $"coaps://{node.Address}/hello")
        {
            Confirmable = false,
            NoResponse = NoResponseClasses.All,
        });
    }

    private string Note(string what)
    {
        Interlocked.Increment(ref _asked);
        lock (Done)
        {
            Done.Add(what);
        }

        return what;
    }
}
