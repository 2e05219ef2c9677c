namespace CoAP.NET.Channels;

/// <summary>
/// The memory of connections for partial frames and send backlogs: two budgets of the endpoint. Closes the connections that must be
/// evicted. Thread-safe.
/// </summary>
internal sealed class ConnectionMemoryBudget
{
    // The bytes that may follow the partial frame: one read.
    private const long OneRead = 64 * 1024;

    private readonly CoapCounters _counters;
    private readonly CoapSourceGroupingRule _sources;
    private readonly ConnectionBufferQuota _assembly;
    private readonly ConnectionBufferQuota _sending;

    public ConnectionMemoryBudget(CoapLimits limits, CoapCounters counters, CoapSourceGroupingRule sources)
    {
        _sources = sources;
        _counters = counters;

        // The largest message must fit in the share of a source, even where a transport doubles its buffer.
        _assembly = new ConnectionBufferQuota(limits.Connections.ReceiveMemory, limits.Connections.MaxSourceFraction,
            (2L * limits.Connections.MaxMessageSize) + OneRead);
        _sending = new ConnectionBufferQuota(limits.Connections.SendMemory, limits.Connections.MaxSourceFraction,
            (long)limits.Connections.MaxSendQueueSize + limits.Connections.MaxMessageSize);
    }

    /// <summary>The memory of partial frames in bytes.</summary>
    public long AssemblyBytes => _assembly.Used;

    /// <summary>The memory of send backlogs in bytes.</summary>
    public long SendingBytes => _sending.Used;

    public bool TryReserveAssembly(CoapConnection connection, int bytes)
    {
        SourceUsage<CoapConnection>.UsageEntry holding = UsageEntryOf(ref connection.Assembly, connection);
        if (holding.IsOver)
        {
            // It was already evicted and is being closed.
            return false;
        }

        List<CoapConnection>? gone = null;
        bool isReserved = _assembly.TryGrow(holding, bytes, ref gone);
        if (!isReserved)
        {
            _counters.Add(CoapCounter.ConnectionsEvicted);
            _counters.Add(CoapCounter.FramesRefused);
        }

        if (gone is not null)
        {
            _counters.Add(CoapCounter.FramesRefused, gone.Count);
            _ = CloseAsync(
                gone,
                CoapError.Refused,
                "the memory for partial frames is full, its source holds most of it, and this frame did not grow for "
                    + "longest. See CoapLimits.Connections.ReceiveMemory.");
        }

        return isReserved;
    }

    public void ReleaseAssembly(CoapConnection connection, int bytes)
    {
        if (connection.Assembly is { } holding)
        {
            _assembly.Shrink(holding, bytes);
        }
    }

    public void OnBacklogChanged(CoapConnection connection)
    {
        List<CoapConnection>? gone = null;
        if (!_sending.TryFollow(UsageEntryOf(ref connection.Sending, connection), ref gone))
        {
            (gone ??= []).Add(connection);
        }

        if (gone is not null)
        {
            _counters.Add(CoapCounter.SlowConnections, gone.Count);
            _ = CloseAsync(
                gone,
                CoapError.TooSlow,
                "the memory for send backlogs is full, its source holds most of it, and its peer took nothing for longest. See "
                    + "CoapLimits.Connections.SendMemory.");
        }
    }

    public void Forget(CoapConnection connection)
    {
        _assembly.End(UsageEntryOf(ref connection.Assembly, connection));
        _sending.End(UsageEntryOf(ref connection.Sending, connection));
    }

    /// <summary>Closes a connection that gave its place to another one.</summary>
    public void CloseIdle(CoapConnection connection) => _ = CloseAsync(
        [connection],
        CoapError.Refused,
        "other connections need its place, its source holds most of them, and it was idle for longest. See MaxCount and "
            + "MaxCountPerSource of CoapLimits.Connections.");

    private SourceUsage<CoapConnection>.UsageEntry UsageEntryOf(
        ref SourceUsage<CoapConnection>.UsageEntry? place, CoapConnection connection)
    {
        if (Volatile.Read(ref place) is { } there)
        {
            return there;
        }

        SourceUsage<CoapConnection>.UsageEntry made = new(connection, _sources.Of(connection.Remote, connection.PeerId));
        return Interlocked.CompareExchange(ref place, made, null) ?? made;
    }

    // The caller may be a stage, which must not run the end of other connections inside.
    private async Task CloseAsync(List<CoapConnection> connections, CoapError error, string why)
    {
        _counters.Add(CoapCounter.ConnectionsEvicted, connections.Count);
        await default(YieldToPool);
        foreach (CoapConnection connection in connections)
        {
            connection.Close(new CoapConnectionException(error, $"The connection to {connection} was closed: {why}"));
        }
    }
}
