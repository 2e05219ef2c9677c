namespace CoAP.NET.Simulation.Soak;

/// <summary>One client of the load: an endpoint of its own, and two observations.</summary>
internal sealed class SoakClient : IAsyncDisposable
{
    private readonly SoakLedger _ledger;
    private readonly List<(int Index, CoapObservation Observation)> _observations = [];
    private int _open;

    public SoakClient(string name, string origin, bool isStream, CoapEndpointOptions options, SoakLedger ledger)
    {
        Name = name;
        Origin = origin;
        IsStream = isStream;
        _ledger = ledger;
        Client = new CoapClient(options);
    }

    public string Name { get; }

    /// <summary>Scheme, host and port of the server, as this client sees it.</summary>
    public string Origin { get; }

    public bool IsStream { get; }

    public CoapClient Client { get; }

    /// <summary>Set when it is being closed: what then fails, fails for that reason.</summary>
    public bool IsClosing { get; private set; }

    /// <summary>Operations under way.</summary>
    public int Open => Volatile.Read(ref _open);

    public void Enter() => Interlocked.Increment(ref _open);

    public void Exit() => Interlocked.Decrement(ref _open);

    /// <summary>Observes two resources; on a path that loses it may take more than one try.</summary>
    public async Task ObserveAsync(int first)
    {
        for (int i = 0; i < 2; i++)
        {
            int index = (first + i) % SoakServer.States;
            int latest = -1;
            CoapObservationOptions options = new()
            {
                OnNotification = response =>
                {
                    if (response.IsSuccess)
                    {
                        int state = StateOf(response);
                        int before = Interlocked.Exchange(ref latest, state);
                        if (state < before)
                        {
                            _ledger.Note($"{Name} was told state {state} of {index} after {before}");
                        }
                    }
                },
            };
            while (!IsClosing)
            {
                try
                {
                    CoapObservation observation = await Client.ObserveAsync(new CoapRequest(CoapMethod.Get, $"{Origin}/state/{index}"),
                        options);
                    lock (_observations)
                    {
                        _observations.Add((index, observation));
                    }

                    break;
                }
                catch (Exception exception) when (exception is CoapException or ObjectDisposedException)
                {
                    // Lost, or the client is closed: the loop decides.
                }
            }
        }
    }

    /// <summary>Whether all that is observed is known in its last state.</summary>
    /// <param name="server">Who knows the state.</param>
    /// <param name="missing">What is not.</param>
    public bool IsUpToDate(SoakServer server, out string? missing)
    {
        lock (_observations)
        {
            foreach ((int index, CoapObservation observation) in _observations)
            {
                if (observation.Latest is not { } latest || !latest.IsSuccess || StateOf(latest) != server.StateOf(index))
                {
                    missing = $"{Name} has {observation.Latest?.GetText() ?? "nothing"} ({observation.State}) of /state/{index}, which "
                        + $"is {server.StateOf(index)}";
                    return false;
                }
            }
        }

        missing = null;
        return true;
    }

    public ValueTask DisposeAsync()
    {
        IsClosing = true;
        return Client.DisposeAsync();
    }

    private static int StateOf(CoapResponse response) => int.Parse(response.GetText());
}
