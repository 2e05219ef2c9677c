using CoAP.NET.Observing;

namespace CoAP.NET;

/// <summary>
/// What one of the resources of a route asks of its observers, and how many it has: one object for each resource, which
/// <see cref="CoapRouteHandlerBuilder.WithObserverTerms"/> finds by the request. Changes hold for those who observe already. Any thread may
/// use it.
/// </summary>
public sealed class CoapObserverTerms : IAfterRelease
{
    private readonly Lock _gate = new();
    private readonly Dictionary<CoapSource, int> _bySource = [];
    private ChangeNotice? _notice;
    private string? _path;
    private long _confirmableEvery;
    private int _maxObservers = int.MaxValue;
    private int _count;
    private int _trims;

    // No source has more; it may be less, as nobody looks when one goes.
    private int _most;

    /// <summary>
    /// How long an observer may be sent nothing that it has to acknowledge, so that one that is gone is noticed (RFC 7641 section 4.5);
    /// from 1 s to 24 h. Null, the default: as the route says (<see cref="CoapRouteConventions{TSelf}.Observable"/>).
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1 s or above 24 h.</exception>
    public TimeSpan? ConfirmableEvery
    {
        get => Volatile.Read(ref _confirmableEvery) is var ticks and > 0 ? TimeSpan.FromTicks(ticks) : null;
        set
        {
            long ticks = value is { } every ? ObserveSettings.CheckConfirmableEvery(every, nameof(value)) : 0;
            if (Interlocked.Exchange(ref _confirmableEvery, ticks) != ticks)
            {
                Volatile.Read(ref _notice)?.Rearm(_path!, this);
            }
        }
    }

    /// <summary>
    /// How many may observe the resource, 0 or more; null, the default: as many as the server takes
    /// (<see cref="CoapLimits.MaxObservers"/>). Who comes later is answered as if he had not asked to observe, unless another source
    /// (<see cref="CoapSource"/>) has at least two observers more than his: that one loses one. When it is lowered, those go first whose
    /// sources have most, and of them those who were silent for longest. Whoever goes is told 4.04, and
    /// <see cref="CoapRouteHandlerBuilder.ObserverWent"/> says <see cref="CoapObserverEnd.Replaced"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Below zero.</exception>
    public int? MaxObservers
    {
        get => Volatile.Read(ref _maxObservers) is var max and < int.MaxValue ? max : null;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value ?? 0, nameof(value));
            Volatile.Write(ref _maxObservers, value ?? int.MaxValue);
            Trim();
        }
    }

    /// <summary>How many observers the resource has: pairs of a client and a token.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>
    /// Tells the observers of the resource at this server that it may have changed (RFC 7641 section 4.2), and nobody who follows changes
    /// (<see cref="CoapServer.FollowChanges"/>). Where requests for one path are told apart by their queries, and each has terms of its
    /// own, it tells those only that have these. Any thread may call it, but no
    /// <see cref="CoapRouteHandlerBuilder.WithObserverTerms"/> while it finds them.
    /// </summary>
    /// <returns>How many observers there are.</returns>
    public int NotifyHere() => Volatile.Read(ref _notice)?.Changed(_path!, this) ?? 0;

    /// <summary>How many it has above what it may have.</summary>
    internal int Excess => Count - Volatile.Read(ref _maxObservers);

    /// <summary>The interval of Confirmable notifications in units of 100 ns; 0 where the route says it.</summary>
    internal long ConfirmableEveryTicks => Volatile.Read(ref _confirmableEvery);

    /// <summary>Says what resource it is for. No lock may be held.</summary>
    /// <exception cref="InvalidOperationException">It is for another one already.</exception>
    internal CoapObserverTerms For(ChangeNotice notice, string path)
    {
        lock (_gate)
        {
            if (_notice is not null && (_notice != notice || _path != path))
            {
                throw new InvalidOperationException(
                    $"This CoapObserverTerms is for {_path}, and was given for {path} too. Make one for each resource of each server, as "
                    + "it counts the observers.");
            }

            _path = path;
            Volatile.Write(ref _notice, notice);
            return this;
        }
    }

    /// <summary>Takes a place for an observer. Under the lock of its shard.</summary>
    /// <param name="shard">The shard.</param>
    /// <param name="source">That of the client.</param>
    /// <returns>Whether there was one.</returns>
    internal bool TryEnter(CoapShard shard, in CoapSource source)
    {
        lock (_gate)
        {
            int own = _bySource.GetValueOrDefault(source);
            if (_count >= _maxObservers)
            {
                // The source that has most loses one, once this shard is free; until then there is one too many.
                if (_maxObservers == 0 || _most < own + 2 || (_most = _bySource.Values.Max()) < own + 2)
                {
                    return false;
                }

                shard.AfterRelease(this);
            }

            _bySource[source] = own + 1;
            _most = Math.Max(_most, own + 1);
            _count++;
            return true;
        }
    }

    /// <summary>An observer is none any more. Under the lock of its shard.</summary>
    internal void Leave(in CoapSource source)
    {
        lock (_gate)
        {
            _count--;
            if (_bySource[source] is > 1 and var own)
            {
                _bySource[source] = own - 1;
            }
            else
            {
                _bySource.Remove(source);
            }
        }
    }

    void IAfterRelease.OnReleased(CoapShard shard) => Trim();

    // One thread at a time, so that none ends what another has chosen too.
    private void Trim()
    {
        if (Excess <= 0 || Interlocked.Increment(ref _trims) > 1)
        {
            return;
        }

        int seen;
        do
        {
            seen = Volatile.Read(ref _trims);
            Volatile.Read(ref _notice)?.Trim(_path!, this);
        }
        while (Interlocked.Add(ref _trims, -seen) > 0);
    }
}
