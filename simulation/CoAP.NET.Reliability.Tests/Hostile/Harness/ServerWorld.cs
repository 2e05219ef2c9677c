using CoAP.NET.Testing.Peers;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>A server that hostile peers send to, and a client of it that behaves.</summary>
internal sealed class ServerWorld : DatagramWorld
{
    /// <summary>A size of buffers that no other test has.</summary>
    public const int DatagramSize = 1403;

    private readonly CoapServer _server;
    private readonly DirectTransport _raw = new();
    private readonly CoapRouteHandlerBuilder _observed;
    private readonly CoapRouteHandlerBuilder _state;
    private readonly WellBehavedClient _client;
    private int _counter;
    private int _version;
    private ushort _id = 0xf000;

    private ServerWorld(Action<CoapEndpointOptions>? configure)
        : base(DatagramSize)
    {
        configure?.Invoke(Options);
        _server = new CoapServer(Options);
        _server.Endpoint.AddTransport(Network.CreateTransport(Address));
        _server.Endpoint.AddTransport(_raw);
        _client = new WellBehavedClient(this);
        _server.MapGet("/hello", () => "world");

        // Preconditions, and formats where a route declares none, are the handler's (docs/server.md).
        _server.MapGet("/x", request => request.CheckPreconditions(exists: true)
            ?? (request.SelectFormat(CoapContentFormat.TextPlain) is null ? CoapResults.NotAcceptable() : CoapResults.Text("hi")));
        _server.MapPost("/x", request => new CoapResult(CoapCode.Changed, request.Payload));
        _server.MapFetch("/x", request => new CoapResult(CoapCode.Content, request.Payload));
        _server.MapPost("/count", () => CoapResults.Text($"{Interlocked.Increment(ref _counter)}"));
        _server.MapPut("/body", request => CoapResults.Changed(CoapContent.Text($"{request.Payload.Length}")));
        _server.MapPut("/small", request => CoapResults.Changed(CoapContent.Text($"{request.Payload.Length}"))).WithMaxBodySize(1000);
        _server.MapGet("/big", () => CoapResults.Bytes(Pattern(200)).WithETag(new CoapETag("v1"u8)));
        _server.MapGet("/things/{id}", request => $"{request.Route["id"]}");
        _server.MapGet("/q", request => CoapResults.Text($"{request.Message.Options.UriQuery.Count}"));
        _server.MapPut("/fresh", () => CoapResults.Changed()).RequireFreshness(TimeSpan.FromSeconds(30));
        _server.MapGet("/text", () => CoapResults.Text("t"));
        _server.MapGet("/slow", async (_, cancellationToken) =>
        {
            await Task.Delay(TimeSpan.FromSeconds(5), Clock, cancellationToken).ConfigureAwait(false);
            return CoapResults.Text("late");
        });
        _observed = _server.MapGet("/obs", () => CoapResults.Text($"{_version}")).Observable();
        _state = _server.MapGet("/state", () => CoapResults.Text(_client.State)).Observable();
        _server.MapGet("/held", () => _client.Held.Task);
        _server.MapPut("/store", request => _client.Store(request.Payload));
        _server.MapGet("/large", () => CoapResults.Bytes(WellBehavedClient.Large).WithETag(new CoapETag("1"u8)));
    }

    protected override CoapEndpoint Endpoint => _server.Endpoint;

    public static async Task<ServerWorld> StartAsync(Action<CoapEndpointOptions>? configure = null)
    {
        ServerWorld world = new(configure);
        await world._server.StartAsync();
        return world;
    }

    public static byte[] Pattern(int length) => [.. Enumerable.Range(0, length).Select(i => (byte)('a' + (i % 26)))];

    public void NotifyState() => _state.Notify();

    public override ValueTask DisposeAsync() => _server.DisposeAsync();

    protected override Task BeginAsync()
    {
        _counter = 0;
        _client.Begin();
        return Task.CompletedTask;
    }

    protected override Task BeatAsync()
    {
        _client.Beat();
        return Task.CompletedTask;
    }

    protected override Task EndAsync()
    {
        _client.End();
        return Task.CompletedTask;
    }

    protected override Task ServeHostileAsync()
    {
        ScriptedPeer peer = Peer('a');
        string id = $"{++_id:x4}";
        peer.Send($"44 01 {id} {id}{id} b5 'hello'");
        peer.Expect($"64 45 {id} {id}{id} c0 ff 'world'");
        return Task.CompletedTask;
    }

    protected override void Leave()
    {
        base.Leave();
        if (_server.ObserverCount > 0)
        {
            _version++;
            _observed.Notify();
        }
    }

    protected override Task DoOtherAsync(HostileStep step)
    {
        switch (step.Do)
        {
            case "change":
                _version++;
                _observed.Notify();
                break;

            // From an address that no peer of the network can have: raw 10.0.0.1:0 > bytes
            case "raw":
                string[] parts = step.Rest.Split('>');
                _raw.Receive(InMemoryNetwork.Address(parts[0].Trim()), DatagramBytePattern.Parse(HostileScript.Expand(parts[1])).ToBytes());
                break;
            case "rawto":
                DatagramBytePattern pattern = DatagramBytePattern.Parse(step.Rest);
                (_, byte[] sent) = Assert.Single(_raw.TakeAll());
                Carried(1);
                BytePatternMatch match = pattern.Match(sent);
                Assert.True(match.IsMatch, $"{Convert.ToHexStringLower(sent)}: {match.Reason}");
                break;
            case "nothing":
                Assert.Empty(_raw.TakeAll());
                break;
            case "counted":
                Assert.Equal(step.Rest, $"{_counter}");
                break;
            case "observers":
                Assert.Equal(step.Rest, $"{_server.ObserverCount - 1}");
                break;
            default:
                throw new ScriptExpectationException($"No such step: {step.Do}");
        }

        return Task.CompletedTask;
    }

    protected override IEnumerable<(string What, long Count)> Tables() =>
        [.. TablesOfPipeline(), ("observers", _server.ObserverCount), ("bytes of bodies", _server.BodyBytes)];
}
