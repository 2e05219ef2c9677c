namespace CoAP.NET.Simulation.Faults;

/// <summary>
/// Clients that ask one request after another and look at each answer, and some that observe. No fault is meant for any of them, so nothing
/// may go wrong with any.
/// </summary>
internal sealed class FaultLoad(FaultRig rig) : IAsyncDisposable
{
    /// <summary>How many clients ask over UDP, and over TCP.</summary>
    public const int DatagramClients = 48;

    /// <summary>See <see cref="DatagramClients"/>.</summary>
    public const int StreamClients = 16;

    /// <summary>How many observe.</summary>
    public const int Observers = 8;

    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(8);

    private readonly ConcurrentQueue<string> _wrong = new();
    private readonly List<CoapClient> _clients = [];
    private readonly List<CoapObservation> _observations = [];
    private readonly List<Task> _flows = [];
    private volatile bool _stops;
    private long _done;

    /// <summary>How many answers were right.</summary>
    public long Done => Interlocked.Read(ref _done);

    /// <summary>What was not as it has to be; at most some of it.</summary>
    public IReadOnlyCollection<string> Wrong => _wrong;

    public async Task StartAsync()
    {
        for (int i = 0; i < DatagramClients + StreamClients; i++)
        {
            CoapClient client = NewClient();
            _flows.Add(FlowAsync(client, i < DatagramClients ? "coap" : "coap+tcp", i));
        }

        for (int i = 0; i < Observers; i++)
        {
            _observations.Add(await NewClient().ObserveAsync(rig.Uri(i % 2 == 0 ? "coap" : "coap+tcp", "/tick")));
        }
    }

    /// <summary>What the observer that is behind most knows; -1 when one knows nothing.</summary>
    public int OldestTick => _observations.Min(observation =>
        observation is { State: CoapObserveState.Observing, Latest: { IsSuccess: true } latest }
            && int.TryParse(latest.GetText(), out int tick) ? tick : -1);

    /// <summary>Has each client end after the request that it is at.</summary>
    public async Task StopAsync()
    {
        _stops = true;
        await Task.WhenAll(_flows);
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        foreach (CoapObservation observation in _observations)
        {
            await observation.DisposeAsync();
        }

        foreach (CoapClient client in _clients)
        {
            await client.DisposeAsync();
        }
    }

    private CoapClient NewClient()
    {
        CoapClient client = new();
        _clients.Add(client);
        return client;
    }

    private async Task FlowAsync(CoapClient client, string scheme, int start)
    {
        await Task.Yield();
        for (int i = start; !_stops; i++)
        {
            string? wrong;
            try
            {
                wrong = await AskAsync(client, scheme, i);
            }
            catch (CoapException exception)
            {
                wrong = $"{exception.GetType().Name}: {exception.Message}";
            }

            if (wrong is null)
            {
                Interlocked.Increment(ref _done);
            }
            else if (_wrong.Count < 20)
            {
                _wrong.Enqueue($"{scheme} client {start}: {wrong}");
            }
        }
    }

    // In turn, so that each second has the same of everything.
    private async Task<string?> AskAsync(CoapClient client, string scheme, int number)
    {
        byte[] sent = BitConverter.GetBytes(number);
        (CoapMethod method, string path, byte[]? content, byte[]? expected) = (number % 20) switch
        {
            1 or 6 or 11 or 16 => (CoapMethod.Post, "/echo", sent, sent),
            3 or 13 => (CoapMethod.Get, "/later", null, "later"u8.ToArray()),
            8 => (CoapMethod.Get, "/large", null, FaultResources.Body),
            18 => (CoapMethod.Put, "/upload", FaultResources.Body, (byte[])[]),
            _ => (CoapMethod.Get, "/plain", null, "plain"u8.ToArray()),
        };
        CoapResponse response = await client.SendAsync(new CoapRequest(method, rig.Uri(scheme, path))
        {
            Content = content is null ? null : CoapContent.Binary(content),
            Timeout = s_longest,
        });
        return !response.IsSuccess || !response.Payload.Span.SequenceEqual(expected)
            ? $"{method} {path} was answered {response.Code} with {response.Payload.Length} bytes"
            : null;
    }
}
