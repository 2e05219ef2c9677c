namespace CoAP.NET.Transports;

/// <summary>
/// The connections of a transport that the platform's asynchronous calls drive: which there are, which linger, and how many threads are in
/// user code. Thread-safe.
/// </summary>
internal sealed class ConnectionHost
{
    private const int MaxLingering = 1000;

    private readonly CoapStreamOptions _streams;
    private readonly Lock _gate = new();
    private readonly HashSet<AsyncConnection> _connections = [];
    private readonly Dictionary<AsyncConnection, ITimer> _lingering = [];

    // The connections whose end was not told yet, and the host itself.
    private readonly MemberCount _members = new();
    private bool _isClosing;
    private int _inUserCode;

    public ConnectionHost(CoapStreamTransport transport, ICoapStreamContext context, CoapStreamOptions streams)
    {
        Transport = transport;
        Context = context;
        _streams = streams;
        LateOutput = new LateOutput(context.TimeProvider);
    }

    public CoapStreamTransport Transport { get; }

    public ICoapStreamContext Context { get; }

    public LateOutput LateOutput { get; }

    /// <summary>The connections that are being opened.</summary>
    public Openings Openings { get; } = new();

    /// <summary>Whether so many threads of the pool are in user code that it can spare no more.</summary>
    public bool IsPoolTaken => Volatile.Read(ref _inUserCode) >= UserCodePolicy.PoolThreadsInUserCode;

    public void UserCodeBegins() => Interlocked.Increment(ref _inUserCode);

    public void UserCodeEnds() => Interlocked.Decrement(ref _inUserCode);

    /// <summary>Has a connection begin: the mesh is told, and it is read.</summary>
    /// <returns>False when it is not taken; then it was closed.</returns>
    public bool TryOpen(AsyncConnection connection)
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

    /// <summary>Lets a connection whose side of ours was ended in order wait for the peer's end, for a while.</summary>
    /// <returns>False when there are too many of them; then it is closed at once.</returns>
    public bool TryLinger(AsyncConnection connection)
    {
        lock (_gate)
        {
            if (_isClosing || _lingering.Count >= MaxLingering)
            {
                return false;
            }

            _lingering.Add(connection, Context.TimeProvider.CreateTimer(
                static state => ((AsyncConnection)state!).EndLingering(), connection, _streams.ReleaseTimeout, Timeout.InfiniteTimeSpan));
            return true;
        }
    }

    /// <summary>Counts out a connection whose end was told, or of which nothing was told.</summary>
    public void Leave() => _members.Leave();

    /// <summary>A connection is gone.</summary>
    public void Forget(AsyncConnection connection)
    {
        ITimer? timer;
        lock (_gate)
        {
            _connections.Remove(connection);
            _lingering.Remove(connection, out timer);
        }

        timer?.Dispose();
    }

    /// <summary>Takes no connection any more. To be called once, before <see cref="CloseConnections"/>.</summary>
    public void BeginClose()
    {
        lock (_gate)
        {
            _isClosing = true;
        }
    }

    /// <summary>Closes all connections: from here on none of them hands anything in, whatever its thread is at.</summary>
    public void CloseConnections()
    {
        AsyncConnection[] connections;
        lock (_gate)
        {
            connections = [.. _connections];
        }

        foreach (AsyncConnection connection in connections)
        {
            connection.Close(null);
        }

        LateOutput.Dispose();
    }

    /// <summary>Ends when the end of all connections was told. To be called once, after <see cref="CloseConnections"/>.</summary>
    public Task WhenLeftAsync()
    {
        Leave();
        return _members.Gone;
    }

    private bool TryEnter(AsyncConnection connection)
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
