namespace CoAP.NET.Transports.Streams;

/// <summary>
/// The connections of a transport over asynchronous calls of the platform: which exist, which linger, and how many threads are in user
/// code. Thread-safe.
/// </summary>
internal sealed class AsyncIOConnections
{
    private const int MaxLingering = 1000;

    private readonly CoapStreamOptions _streams;
    private readonly Lock _gate = new();
    private readonly HashSet<AsyncIOConnection> _connections = [];
    private readonly Dictionary<AsyncIOConnection, ITimer> _lingering = [];

    // The connections without a reported end, and the host itself.
    private readonly OpenConnectionCountdown _members = new();
    private bool _isClosing;
    private int _inUserCode;

    public AsyncIOConnections(CoapStreamTransport transport, ICoapStreamTransportContext context, CoapStreamOptions streams)
    {
        Transport = transport;
        Context = context;
        _streams = streams;
        UserCodeBlockedConnectionFlusher = new UserCodeBlockedConnectionFlusher(context.TimeProvider);
    }

    public CoapStreamTransport Transport { get; }

    public ICoapStreamTransportContext Context { get; }

    public UserCodeBlockedConnectionFlusher UserCodeBlockedConnectionFlusher { get; }

    public ConnectProgressTable ConnectProgressTable { get; } = new();

    /// <summary>
    /// Whether so many pool threads are in user code that the pool can spare no more: with as many as processors some of them must be
    /// waiting, and more might, until none is left to read.
    /// </summary>
    public bool IsPoolTaken => Volatile.Read(ref _inUserCode) >= Environment.ProcessorCount;

    public void UserCodeBegins() => Interlocked.Increment(ref _inUserCode);

    public void UserCodeEnds() => Interlocked.Decrement(ref _inUserCode);

    /// <summary>Starts a connection: notifies the mesh and starts to read.</summary>
    /// <returns>False when it is refused and therefore closed.</returns>
    public bool TryOpen(AsyncIOConnection connection)
    {
        if (!TryEnter(connection))
        {
            connection.Abandon();
            return false;
        }

        bool isOpen = false;
        try
        {
            isOpen = Context.Opened(connection);
        }
        finally
        {
            if (!isOpen)
            {
                connection.Abandon();
                Leave();
            }
        }

        if (isOpen)
        {
            connection.Start();
        }

        return isOpen;
    }

    /// <summary>Lets a connection with an orderly local end wait for the peer's end, for a while.</summary>
    /// <returns>False when there are too many; it is then closed at once.</returns>
    public bool TryLinger(AsyncIOConnection connection)
    {
        lock (_gate)
        {
            if (_isClosing || _lingering.Count >= MaxLingering)
            {
                return false;
            }

            _lingering.Add(connection, Context.TimeProvider.CreateTimer(
                static state => ((AsyncIOConnection)state!).EndLingering(), connection, _streams.ReleaseTimeout, Timeout.InfiniteTimeSpan));
            return true;
        }
    }

    /// <summary>Stops counting a connection whose end was reported, or that was never reported.</summary>
    public void Leave() => _members.Leave();

    public void Forget(AsyncIOConnection connection)
    {
        ITimer? timer;
        lock (_gate)
        {
            _connections.Remove(connection);
            _lingering.Remove(connection, out timer);
        }

        timer?.Dispose();
    }

    /// <summary>Refuses new connections. Call it once, before <see cref="CloseConnections"/>.</summary>
    public void BeginClose()
    {
        lock (_gate)
        {
            _isClosing = true;
        }
    }

    /// <summary>Closes all connections. From here on none of them hands anything in, whatever its thread does.</summary>
    public void CloseConnections()
    {
        AsyncIOConnection[] connections;
        lock (_gate)
        {
            connections = [.. _connections];
        }

        foreach (AsyncIOConnection connection in connections)
        {
            connection.Close(null);
        }

        UserCodeBlockedConnectionFlusher.Dispose();
    }

    /// <summary>Completes when the end of all connections was reported. Call it once, after <see cref="CloseConnections"/>.</summary>
    public Task WhenLeftAsync()
    {
        Leave();
        return _members.Gone;
    }

    private bool TryEnter(AsyncIOConnection connection)
    {
        lock (_gate)
        {
            if (_isClosing)
            {
                return false;
            }

            _connections.Add(connection);
            _members.Enter();
            return true;
        }
    }
}
