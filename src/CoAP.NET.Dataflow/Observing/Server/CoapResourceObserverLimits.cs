using CoAP.NET.Observing;
using CoAP.NET.Observing.Server;

namespace CoAP.NET;

/// <summary>Limits the observers of one resource of a route, and counts them.</summary>
/// <remarks>
/// There is one object for each resource, which <see cref="CoapRouteHandlerBuilder.WithObserverLimits"/> finds by the request. Changes also
/// apply to existing observers. Thread-safe.
/// </remarks>
public sealed class CoapResourceObserverLimits : IDeferredWork
{
    private readonly Lock _gate = new();
    private readonly SourceLedger<CoapQuotaSource> _bySource = new();
    private ObserverNotifier? _notifier;
    private string? _path;
    private long _confirmableEvery;
    private int _maxObservers = int.MaxValue;
    private int _count;
    private int _attempts;

    // An upper bound: no source has more; it may be less, because it is not updated when an observer leaves.
    private long _most;

    /// <summary>
    /// The maximum time without a notification that an observer has to acknowledge, so that an unreachable one is detected (RFC 7641
    /// section 4.5); from 1 s to 24 h.
    /// </summary>
    /// <remarks>Null, the default: the setting of the route (<see cref="CoapRouteConventions{TSelf}.Observable"/>).</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Below 1 s or above 24 h.</exception>
    public TimeSpan? ConfirmableEvery
    {
        get => Volatile.Read(ref _confirmableEvery) is var ticks and > 0 ? TimeSpan.FromTicks(ticks) : null;
        set
        {
            long ticks = value is { } every ? RouteObserveSettings.CheckConfirmableEvery(every, nameof(value)) : 0;
            if (Interlocked.Exchange(ref _confirmableEvery, ticks) != ticks)
            {
                Volatile.Read(ref _notifier)?.ApplyInterval(_path!, this);
            }
        }
    }

    /// <summary>
    /// The maximum number of observers of the resource, 0 or more; null, the default: the limit of the server
    /// (<see cref="CoapObserveLimits.MaxObservers"/>).
    /// </summary>
    /// <remarks>
    /// A further client gets a plain response, unless another source (<see cref="CoapQuotaSource"/>) has at least two observers more than
    /// its own: that source loses one. After a reduction, observers of the sources with the most go first, and among them those that were
    /// silent for longest. They get 4.04, and <see cref="CoapRouteHandlerBuilder.ObserverRemoved"/> reports
    /// <see cref="CoapObserverEnd.Replaced"/>.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative.</exception>
    public int? MaxObservers
    {
        get => Volatile.Read(ref _maxObservers) is var max and < int.MaxValue ? max : null;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value ?? 0, nameof(value));
            lock (_gate)
            {
                // An observer that takes a place meanwhile sees the new limit, or is counted before it is compared with the number.
                Volatile.Write(ref _maxObservers, value ?? int.MaxValue);
            }

            EndExcess();
        }
    }

    /// <summary>The number of observers of the resource: pairs of a client and a token.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>
    /// Notifies the observers of the resource at this server that it may have changed (RFC 7641 section 4.2), and not the followers of
    /// changes (<see cref="CoapServer.FollowChanges"/>).
    /// </summary>
    /// <remarks>
    /// If requests for one path differ by their queries, each with its own limits, it only notifies those with these limits. Any thread may
    /// call it, except inside <see cref="CoapRouteHandlerBuilder.WithObserverLimits"/> while it finds them.
    /// </remarks>
    /// <returns>The number of observers.</returns>
    internal int NotifyHere() => Volatile.Read(ref _notifier)?.Notify(_path!, this) ?? 0;

    /// <summary>The number of observers above the limit.</summary>
    internal int Excess => Count - Volatile.Read(ref _maxObservers);

    /// <summary>The interval of Confirmable notifications in units of 100 ns; 0 for that of the route.</summary>
    internal long ConfirmableEveryTicks => Volatile.Read(ref _confirmableEvery);

    /// <summary>Binds the limits to a resource. The caller must hold no lock.</summary>
    /// <exception cref="InvalidOperationException">They already belong to another one.</exception>
    internal CoapResourceObserverLimits For(ObserverNotifier notifier, string path)
    {
        lock (_gate)
        {
            if (_notifier is not null && (_notifier != notifier || _path != path))
            {
                throw new InvalidOperationException(
                    $"This CoapResourceObserverLimits belongs to {_path}, and was also returned for {path}. Create one for each resource of "
                        + "each server, because it counts the observers.");
            }

            _path = path;
            Volatile.Write(ref _notifier, notifier);
            return this;
        }
    }

    /// <summary>Takes a place for an observer. The caller holds the lock of its shard.</summary>
    internal bool TryEnter(CoapShard shard, in CoapQuotaSource source)
    {
        lock (_gate)
        {
            long held = _bySource.AmountOf(source) + 1;
            if (_count >= _maxObservers)
            {
                // The source with the most loses one when this shard is unlocked; until then there is one too many.
                if (_maxObservers == 0 || !FairShare.AllowsEviction(held, _most - 1)
                    || !FairShare.AllowsEviction(held, (_most = _bySource.FindMost()) - 1))
                {
                    return false;
                }

                shard.AfterRelease(this);
            }

            _bySource.Take(source);
            _most = Math.Max(_most, held);
            Volatile.Write(ref _count, (int)_bySource.Total);
            return true;
        }
    }

    /// <summary>Releases the place of an observer. The caller holds the lock of its shard.</summary>
    internal void Leave(in CoapQuotaSource source)
    {
        lock (_gate)
        {
            _bySource.Return(source);
            Volatile.Write(ref _count, (int)_bySource.Total);
        }
    }

    void IDeferredWork.OnReleased(CoapShard shard) => EndExcess();

    // One thread at a time, so that no two threads choose the same observer.
    private void EndExcess()
    {
        if (Excess <= 0 || Interlocked.Increment(ref _attempts) > 1)
        {
            return;
        }

        int seen;
        do
        {
            seen = Volatile.Read(ref _attempts);
            Volatile.Read(ref _notifier)?.EndExcess(_path!, this);
        }
        while (Interlocked.Add(ref _attempts, -seen) > 0);
    }
}
