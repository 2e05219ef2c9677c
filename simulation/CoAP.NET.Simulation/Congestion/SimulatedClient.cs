using CoAP.NET.Composition.Stages;

namespace CoAP.NET.Simulation.Congestion;

/// <summary>
/// A client that sends the next request as soon as the one before ended. It awaits nothing, so that a run is the same each time: whoever
/// drives the clock looks after it.
/// </summary>
internal sealed class SimulatedClient : IAsyncDisposable
{
    private readonly CoapClient _client;
    private readonly CoapTransport _transport;
    private readonly CoapAddress _server;
    private readonly VirtualClock _clock;
    private readonly int _requests;
    private readonly List<TimeSpan> _times = [];
    private Task<CoapResponse>? _pending;
    private TimeSpan _begun;
    private int _sent;

    public SimulatedClient(InMemoryNetwork network, CoapAddress address, CoapAddress server, CoapEndpointOptions options,
        VirtualClock clock, int requests)
    {
        _client = new CoapClient(options);
        _transport = network.CreateTransport(address);
        _client.Endpoint.AddTransport(_transport);
        _server = server;
        _clock = clock;
        _requests = requests;
    }

    public bool IsDone { get; private set; }

    public int Failed { get; private set; }

    public IReadOnlyList<TimeSpan> Times => _times;

    public TimeSpan DoneAt { get; private set; }

    public Task StartAsync() => _client.Endpoint.StartAsync();

    /// <summary>Notes what ended and sends what is next.</summary>
    public void Look()
    {
        while (!IsDone && _pending is null or { IsCompleted: true })
        {
            if (_pending is { } ended)
            {
                DoneAt = _clock.Elapsed;
                if (ended.IsCompletedSuccessfully)
                {
                    _times.Add(_clock.Elapsed - _begun);
                }
                else
                {
                    _ = ended.Exception;
                    Failed++;
                }

                _pending = null;
            }

            if (_sent == _requests)
            {
                IsDone = true;
                return;
            }

            _sent++;
            _begun = _clock.Elapsed;
            CoapMessage message = new(CoapCode.Get) { Type = CoapMessageType.Confirmable };
            message.Options.Add(new UriPathOption("r"));
            CoapChannel channel = _client.Endpoint.Core.Channels.ChannelTo(_transport, _server);
            CoapShardPipeline pipeline = _client.Endpoint.Pipelines[channel.Shard.Index];
            _pending = pipeline.Sender.Begin(channel, message, default, default, CancellationToken.None).Task;
        }
    }

    public ValueTask DisposeAsync() => _client.DisposeAsync();
}
