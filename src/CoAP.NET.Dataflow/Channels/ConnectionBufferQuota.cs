namespace CoAP.NET.Channels;

/// <summary>
/// A memory budget that all connections share, with a limit for each source. When it is full, the source that holds most loses its
/// connection that has made no progress for longest. Thread-safe. Under its lock it only asks connections for their progress.
/// </summary>
/// <param name="bytes">The budget in bytes.</param>
/// <param name="share">The fraction that one source may have.</param>
/// <param name="atLeast">The bytes that one source may have in any case, as far as available.</param>
internal sealed class ConnectionBufferQuota(long bytes, double share, long atLeast)
{
    // A peer that takes less than this at a time makes no progress.
    private const long LeastProgress = 4096;

    private readonly Lock _gate = new();
    private readonly SourceUsage<CoapConnection> _ledger = new();
    private readonly long _bytesOfSource = Math.Min(bytes, Math.Max((long)(bytes * share), atLeast));

    /// <summary>The number of bytes in use.</summary>
    public long Used
    {
        get
        {
            lock (_gate)
            {
                return _ledger.Total;
            }
        }
    }

    /// <summary>Reserves more for a connection, which counts as progress.</summary>
    /// <param name="holding">The connection's share.</param>
    /// <param name="more">The additional bytes.</param>
    /// <param name="gone">The connections that must be closed for it.</param>
    /// <returns>False when the connection itself must be closed; it then holds nothing any more.</returns>
    public bool TryGrow(SourceUsage<CoapConnection>.UsageEntry holding, long more, ref List<CoapConnection>? gone)
    {
        lock (_gate)
        {
            return TrySet(holding, holding.Amount + more, moves: true, ref gone);
        }
    }

    public void Shrink(SourceUsage<CoapConnection>.UsageEntry holding, long less)
    {
        lock (_gate)
        {
            if (!holding.IsOver)
            {
                _ledger.Set(holding, holding.Amount - less);
            }
        }
    }

    /// <summary>Updates the send backlog of a connection; it makes progress when the peer took some of it.</summary>
    /// <param name="holding">The connection's share.</param>
    /// <param name="gone">The connections that must be closed for it.</param>
    /// <returns>False when the connection itself must be closed; it then holds nothing any more.</returns>
    public bool TryFollow(SourceUsage<CoapConnection>.UsageEntry holding, ref List<CoapConnection>? gone)
    {
        lock (_gate)
        {
            // Read under the lock, so the last caller sees the last state.
            long sent = holding.Owner.Progress.BytesSent;
            bool moves = sent - holding.Mark >= LeastProgress;
            holding.Mark = moves ? sent : holding.Mark;
            return TrySet(holding, holding.Owner.Backlog, moves, ref gone);
        }
    }

    public void End(SourceUsage<CoapConnection>.UsageEntry holding)
    {
        lock (_gate)
        {
            Release(holding);
        }
    }

    private bool TrySet(SourceUsage<CoapConnection>.UsageEntry holding, long amount, bool moves, ref List<CoapConnection>? gone)
    {
        if (holding.IsOver)
        {
            // The code that ended it closes the connection.
            return true;
        }

        if (amount > _bytesOfSource)
        {
            // No other connection could make room for it.
            Release(holding);
            return false;
        }

        _ledger.Set(holding, amount);
        if (moves)
        {
            SourceUsage<CoapConnection>.Touch(holding);
        }

        while (NextToGo(holding) is { } next)
        {
            Release(next);
            if (next == holding)
            {
                return false;
            }

            (gone ??= []).Add(next.Owner);
        }

        return true;
    }

    private SourceUsage<CoapConnection>.UsageEntry? NextToGo(SourceUsage<CoapConnection>.UsageEntry holding) =>
        holding.Source is { } own && own.Amount > _bytesOfSource ? own.First
        : _ledger.Total > bytes ? _ledger.Greediest?.First
        : null;

    private void Release(SourceUsage<CoapConnection>.UsageEntry holding)
    {
        _ledger.Set(holding, 0);
        holding.IsOver = true;
    }
}
