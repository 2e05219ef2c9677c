using CoAP.NET.Dtls.Transport;

namespace CoAP.NET.Survival.Devices;

/// <summary>
/// A device: a client with a session of its own, which asks for a state, and now and then has something done, again and again.
/// </summary>
internal sealed class Device : IAsyncDisposable
{
    // Each has a port, and of those that the system gives away an address has some 28,000.
    private const int DevicesOfAddress = 5_000;

    private readonly CoapClient _client;
    private readonly string _server;
    private readonly string _name;
    private readonly int _index;
    private readonly DeviceTimes _times;
    private readonly Lock _gate = new();
    private long _began;
    private bool _isWaiting;
    private TimeSpan _longest;
    private string _node = "";
    private long _countsFrom = long.MaxValue;
    private bool _isBack;
    private int _number;
    private int _phase = -1;
    private CoapObservation? _observation;

    public Device(string server, int index, DeviceTimes times)
    {
        _server = server;
        _index = index;
        _times = times;
        _name = $"device-{index}";
        _client = new CoapClient(new CoapEndpointOptions
        {
            Parameters = CoapTransmissionParameters.Default with { AckTimeout = times.AckTimeout },
            Transports = { Shards = 1 },
        });
        _client.Endpoint.AddTransport(new CoapDtlsTransport(
            new CoapDtlsOptions { Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(_name, SharedPskStore.Key.Span) } },
            new CoapUdpTransportOptions { Endpoints = { new IPEndPoint(AddressOf(index), 0) } }));
    }

    public long Answered { get; private set; }

    public int Errors { get; private set; }

    public int Wrong { get; private set; }

    /// <summary>What the last error said; null when there was none.</summary>
    public string? Text { get; private set; }

    /// <summary>Whether it waits for an answer.</summary>
    public bool IsWaiting
    {
        get
        {
            lock (_gate)
            {
                return _isWaiting;
            }
        }
    }

    /// <summary>The longest time that it waited since <see cref="Look"/>, be it until now.</summary>
    public TimeSpan Longest
    {
        get
        {
            lock (_gate)
            {
                TimeSpan now = _isWaiting ? TimeProvider.System.GetElapsedTime(_began) : TimeSpan.Zero;
                return now > _longest ? now : _longest;
            }
        }
    }

    /// <summary>Begins to look how long it waits.</summary>
    /// <returns>The node that answered last.</returns>
    public string Look()
    {
        lock (_gate)
        {
            _longest = TimeSpan.Zero;
            return _node;
        }
    }

    /// <summary>Whether a request was answered that it made after <see cref="BeginToCount"/>.</summary>
    public bool IsBack
    {
        get
        {
            lock (_gate)
            {
                return _isBack;
            }
        }
    }

    /// <summary>From now on an answer to what it asks says that it is back.</summary>
    public void BeginToCount()
    {
        lock (_gate)
        {
            _countsFrom = TimeProvider.System.GetTimestamp();
            _isBack = false;
        }
    }

    /// <summary>The state that it heard of last; below 0 where it observes none.</summary>
    public int Phase => Volatile.Read(ref _phase);

    /// <summary>Makes its session, asks for the first time, and observes where it is one that does.</summary>
    public async Task OpenAsync()
    {
        await AskAsync(CancellationToken.None);
        if (_index % _times.ObservesOneOf == 0)
        {
            _observation = await _client.ObserveAsync($"{_server}/{Node.Phase}");
            _ = ReadAsync(_observation);
        }
    }

    private async Task ReadAsync(CoapObservation observation)
    {
        await foreach (CoapResponse response in observation.ReadAllAsync())
        {
            OnPhase(response);
        }
    }

    /// <summary>Asks until it is to stop; what is under way then is awaited.</summary>
    public async Task RunAsync(CancellationToken stop)
    {
        try
        {
            // They do not ask all at once.
            await Task.Delay(_times.Pause * CoapRandomSource.Secure.NextDouble(), TimeProvider.System, stop);
            while (true)
            {
                await AskAsync(CancellationToken.None);
                await Task.Delay(_times.Pause, TimeProvider.System, stop);
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // Done.
        }
    }

    public ValueTask DisposeAsync() => _client.DisposeAsync();

    // 127.8.0.1 and up: none that nodes, the balancer, or its clients behind it have.
    private static IPAddress AddressOf(int index)
    {
        int number = 1 + (index / DevicesOfAddress);
        return new IPAddress([127, 8, (byte)(number >> 8), (byte)number]);
    }

    private void OnPhase(CoapResponse response)
    {
        if (response.Code.IsSuccess)
        {
            Volatile.Write(ref _phase, int.Parse(response.GetText()));
        }
    }

    private async Task AskAsync(CancellationToken cancellationToken)
    {
        int number = ++_number;
        bool isUnsafe = number % _times.PostsOneOf == 0;
        lock (_gate)
        {
            _began = TimeProvider.System.GetTimestamp();
            _isWaiting = true;
        }

        try
        {
            CoapResponse response = isUnsafe
                ? await _client.PostAsync($"{_server}/{Node.Count}", CoapContent.Text($"{number}"), cancellationToken)
                : await _client.GetAsync($"{_server}/{Node.State}/{number}", cancellationToken);
            string[] words = response.GetText().Split(' ');
            if (!response.Code.IsSuccess)
            {
                Errors++;
                Text = $"{_name} asked for {number} and was refused: {response.Code}";
                End(null);
                return;
            }

            if (words is [var name, var echo, var node] && name == _name && echo == $"{number}")
            {
                Answered++;
                End(node);
                return;
            }

            Wrong++;
            Text = $"{_name} asked for {number} and got {response.Code}: {response.GetText()}";
        }
        catch (CoapException exception)
        {
            Errors++;
            Text = $"{_name}, request {number}: {exception.Message}";
        }

        End(null);
    }

    private void End(string? node)
    {
        lock (_gate)
        {
            _isWaiting = false;
            TimeSpan wait = TimeProvider.System.GetElapsedTime(_began);
            _longest = wait > _longest ? wait : _longest;
            _node = node ?? _node;
            _isBack |= node is not null && _began >= _countsFrom;
        }
    }
}
