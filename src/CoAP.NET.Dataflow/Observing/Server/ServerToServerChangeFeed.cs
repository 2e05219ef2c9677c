using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Resources;

namespace CoAP.NET.Observing.Server;

/// <summary>
/// Connects a server with a component that exchanges changes with other servers: it reports what is observed here, and takes changes from
/// elsewhere; see <see cref="CoapServer.FollowChanges"/>.
/// </summary>
/// <remarks>
/// One thread at a time may call <see cref="TryTake"/>; all other members are thread-safe. To lose no change, call <see cref="Begin"/>
/// after a change elsewhere arrived, then take everything that <see cref="TryTake"/> returns, because it may have been observed before this
/// change was known here, and then call <see cref="Apply"/>.
/// </remarks>
internal sealed class ServerToServerChangeFeed : IDisposable, IDeferredWork
{
    // Clients can fill this list; beyond the limit, the feed scans everything again.
    private const int MaxWaiting = 65_536;

    private readonly RouteTable _routes;
    private readonly ObserverNotifier _notifier;
    private readonly ICoapChangeListener _listener;
    private readonly CoapEnvironment _environment;
    private readonly ConcurrentQueue<(string Name, int Shard, bool IsObserved)> _waiting = new();
    private readonly Queue<(string Name, bool IsObserved)> _found = new();

    // The shards in which each name is observed, as bits: a duplicate report does no harm.
    private readonly Dictionary<string, ulong> _known = new(StringComparer.Ordinal);
    private int _count;
    private bool _isTold;
    private bool _isIncomplete;

    internal ServerToServerChangeFeed(
        RouteTable routes, ObserverNotifier notifier, ICoapChangeListener listener, CoapEnvironment environment)
    {
        _routes = routes;
        _notifier = notifier;
        _listener = listener;
        _environment = environment;
        notifier.Follow(this);
    }

    /// <summary>Marks changes elsewhere as known from now on.</summary>
    /// <remarks>A registration whose handler ran before, and is not complete yet, gets the newest state when it completes.</remarks>
    public void Begin() => _routes.CountChanges();

    /// <summary>
    /// Notifies the observers here of a change elsewhere, as <see cref="CoapServer.Notify"/> does.
    /// </summary>
    /// <remarks>The followers of this server's changes are not notified.</remarks>
    /// <param name="name">The name of a path or a route; see <see cref="ICoapChangeListener"/>.</param>
    /// <returns>The number of its observers; 0 if no route serves it.</returns>
    /// <exception cref="ArgumentException">The percent-encoding of a path is invalid.</exception>
    public int Apply(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _routes.Apply(name);
    }

    /// <summary>Takes the next name whose observation began or ended; at first, every observed name.</summary>
    /// <param name="name">The name of a path or a route; see <see cref="ICoapChangeListener"/>.</param>
    /// <param name="isObserved">Whether the name is observed now.</param>
    /// <returns>False if there is nothing new.</returns>
    public bool TryTake([NotNullWhen(true)] out string? name, out bool isObserved)
    {
        while (true)
        {
            if (_found.TryDequeue(out (string Name, bool IsObserved) found))
            {
                (name, isObserved) = found;
                return true;
            }

            if (Volatile.Read(ref _isIncomplete))
            {
                Reread();
            }
            else if (_waiting.TryDequeue(out (string Name, int Shard, bool IsObserved) next))
            {
                Interlocked.Decrement(ref _count);
                Set(next.Name, Bit(next.Shard), next.IsObserved);
            }
            else if (!Interlocked.Exchange(ref _isTold, false))
            {
                (name, isObserved) = (null, false);
                return false;
            }
        }
    }

    /// <summary>Ends the feed: the listener gets no further calls.</summary>
    public void Dispose() => _notifier.Unfollow(this);

    /// <summary>Queues everything that is observed already.</summary>
    internal void TakeAll()
    {
        Volatile.Write(ref _isIncomplete, true);
        ReportObserved();
    }

    /// <summary>
    /// Records that a path or a route got its first observer in a shard, or lost its last one. The caller holds the shard's lock.
    /// </summary>
    internal void Note(string name, CoapShard shard, bool isObserved)
    {
        if (Volatile.Read(ref _isIncomplete))
        {
            return;
        }

        if (Interlocked.Increment(ref _count) > MaxWaiting)
        {
            Interlocked.Decrement(ref _count);
            Volatile.Write(ref _isIncomplete, true);
        }
        else
        {
            _waiting.Enqueue((name, shard.Index, isObserved));
        }

        shard.AfterRelease(this);
    }

    /// <summary>Reports a change of a path or a route to the listener. No lock is held.</summary>
    internal void Report(string name) => UserEvents.Run(_environment, nameof(ICoapChangeListener), () => _listener.Changed(name));

    void IDeferredWork.OnReleased(CoapShard shard) => ReportObserved();

    private static ulong Bit(int shard) => 1UL << shard;

    private void ReportObserved()
    {
        if (!Interlocked.Exchange(ref _isTold, true))
        {
            UserEvents.Run(_environment, nameof(ICoapChangeListener), _listener.ObservedChanged);
        }
    }

    private void Set(string name, ulong shards, bool isObserved)
    {
        _known.TryGetValue(name, out ulong before);
        ulong now = isObserved ? before | shards : before & ~shards;
        if (now != 0)
        {
            _known[name] = now;
        }
        else
        {
            _known.Remove(name);
        }

        if (now != 0 != (before != 0))
        {
            _found.Enqueue((name, isObserved));
        }
    }

    // Changes after the feed counts as complete are noted; earlier ones are seen under the lock of their shard. Both may happen.
    private void Reread()
    {
        _waiting.Clear();
        Volatile.Write(ref _count, 0);
        Volatile.Write(ref _isIncomplete, false);
        Dictionary<string, ulong> now = new(StringComparer.Ordinal);
        foreach ((string name, int shard) in _notifier.ObservedNames())
        {
            now[name] = now.GetValueOrDefault(name) | Bit(shard);
        }

        foreach ((string name, ulong shards) in _known.ToArray())
        {
            Set(name, shards & ~now.GetValueOrDefault(name), isObserved: false);
        }

        foreach ((string name, ulong shards) in now)
        {
            Set(name, shards, isObserved: true);
        }
    }
}
