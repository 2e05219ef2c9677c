using CoAP.NET.Transports;

namespace CoAP.NET.Peers;

/// <summary>
/// Memory of which all connections together have so much, and those of one source a part. When it is full, the connection gives way that
/// did not move for longest, of those of the source that holds most. Thread-safe; only asks connections how far they are while it holds its
/// lock.
/// </summary>
/// <param name="bytes">How much there is, in bytes.</param>
/// <param name="share">The part of it that one source may have.</param>
/// <param name="atLeast">What one source may have in any case, as far as there is as much.</param>
internal sealed class ConnectionBudget(long bytes, double share, long atLeast)
{
    // A peer that takes less than this at a time is not moving.
    private const long LeastProgress = 4096;

    private readonly Lock _gate = new();
    private readonly SourceLedger<CoapConnection> _ledger = new();
    private readonly long _bytesOfSource = Math.Min(bytes, Math.Max((long)(bytes * share), atLeast));

    /// <summary>How many bytes are held.</summary>
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

    /// <summary>Takes more for a connection, which moves on by it.</summary>
    /// <param name="holding">What the connection holds.</param>
    /// <param name="more">How much more, in bytes.</param>
    /// <param name="gone">The connections that must be closed for it.</param>
    /// <returns>False when the connection itself must be closed; it then holds nothing any more.</returns>
    public bool TryGrow(SourceLedger<CoapConnection>.Holding holding, long more, ref List<CoapConnection>? gone)
    {
        lock (_gate)
        {
            return TrySet(holding, holding.Amount + more, moves: true, ref gone);
        }
    }

    /// <summary>A connection holds less.</summary>
    public void Shrink(SourceLedger<CoapConnection>.Holding holding, long less)
    {
        lock (_gate)
        {
            if (!holding.IsOver)
            {
                _ledger.Set(holding, holding.Amount - less);
            }
        }
    }

    /// <summary>Counts what waits on a connection now; it moves on when the peer took some of it.</summary>
    /// <param name="holding">What the connection holds.</param>
    /// <param name="gone">The connections that must be closed for it.</param>
    /// <returns>False when the connection itself must be closed; it then holds nothing any more.</returns>
    public bool TryFollow(SourceLedger<CoapConnection>.Holding holding, ref List<CoapConnection>? gone)
    {
        lock (_gate)
        {
            // Read under the lock, so that the last who comes here sees the last state.
            long sent = holding.Owner.Progress.BytesSent;
            bool moves = sent - holding.Mark >= LeastProgress;
            holding.Mark = moves ? sent : holding.Mark;
            return TrySet(holding, holding.Owner.Backlog, moves, ref gone);
        }
    }

    /// <summary>A connection has ended: nothing is counted for it any more.</summary>
    public void End(SourceLedger<CoapConnection>.Holding holding)
    {
        lock (_gate)
        {
            Release(holding);
        }
    }

    private bool TrySet(SourceLedger<CoapConnection>.Holding holding, long amount, bool moves, ref List<CoapConnection>? gone)
    {
        if (holding.IsOver)
        {
            // Whoever ended it closes the connection.
            return true;
        }

        if (amount > _bytesOfSource)
        {
            // Nobody else could make room for it.
            Release(holding);
            return false;
        }

        _ledger.Set(holding, amount);
        if (moves)
        {
            SourceLedger<CoapConnection>.Touch(holding);
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

    private SourceLedger<CoapConnection>.Holding? NextToGo(SourceLedger<CoapConnection>.Holding holding) =>
        holding.Source is { } own && own.Amount > _bytesOfSource ? own.First
        : _ledger.Total > bytes ? _ledger.Greediest?.First
        : null;

    private void Release(SourceLedger<CoapConnection>.Holding holding)
    {
        _ledger.Set(holding, 0);
        holding.IsOver = true;
    }
}
