using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Observing;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>
/// What is observed at a server, and what changes elsewhere: between a server and who tells other servers of its changes; see
/// <see cref="CoapServer.FollowChanges"/>. <see cref="TryTake"/> is called by one thread at a time, the rest by any.
/// </summary>
/// <remarks>
/// To lose no change, whoever hears of changes elsewhere calls <see cref="Begin"/>, then takes all that <see cref="TryTake"/> gives, which
/// may have been observed before these changes were known here, and then <see cref="Apply"/>.
/// </remarks>
public sealed class CoapChangeFeed : IDisposable, IAfterRelease
{
    // What clients can fill; then everything is looked at anew.
    private const int MaxWaiting = 65_536;

    private readonly RouteTable _routes;
    private readonly ChangeNotice _notice;
    private readonly ICoapChangeListener _listener;
    private readonly CoapEnvironment _environment;
    private readonly ConcurrentQueue<(string Name, int Shard, bool IsObserved)> _waiting = new();
    private readonly Queue<(string Name, bool IsObserved)> _found = new();

    // Of each name the shards in which it is observed, as bits: to be told the same twice does no harm.
    private readonly Dictionary<string, ulong> _known = new(StringComparer.Ordinal);
    private int _count;
    private bool _isTold;
    private bool _isIncomplete;

    internal CoapChangeFeed(RouteTable routes, ChangeNotice notice, ICoapChangeListener listener, CoapEnvironment environment)
    {
        _routes = routes;
        _notice = notice;
        _listener = listener;
        _environment = environment;
        notice.Add(this);
    }

    /// <summary>
    /// Says that changes elsewhere are known now: a registration whose handler ran before, and is not done yet, is sent the newest state
    /// once it is.
    /// </summary>
    public void Begin() => _routes.CountChanges();

    /// <summary>
    /// Tells the observers here of a change elsewhere, as <see cref="CoapServer.Notify"/> does: the handler runs once for all who observe
    /// the same. Nobody who follows this server's changes is told.
    /// </summary>
    /// <param name="name">The name of a path or a route; see <see cref="ICoapChangeListener"/>.</param>
    /// <returns>How many observers it has; 0 where no route serves it.</returns>
    /// <exception cref="FormatException">The percent-encoding of a path is wrong.</exception>
    public int Apply(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _routes.Apply(name);
    }

    /// <summary>Takes the next thing of which observing began or ended; at first all that is observed.</summary>
    /// <param name="name">The name of a path or a route; see <see cref="ICoapChangeListener"/>.</param>
    /// <param name="isObserved">Whether it is observed now.</param>
    /// <returns>False when there is nothing new.</returns>
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
                LookAnew();
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

    /// <summary>Ends it: the listener is told nothing any more.</summary>
    public void Dispose() => _notice.Remove(this);

    /// <summary>What is observed already is to be taken.</summary>
    internal void TakeAll()
    {
        Volatile.Write(ref _isIncomplete, true);
        TellObserved();
    }

    /// <summary>A path or a route has its first observer in a shard, or lost the last one. Under the shard's lock.</summary>
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

    /// <summary>A path or a route was said to have changed. No lock is held.</summary>
    internal void Tell(string name) => UserEvents.Run(_environment, nameof(ICoapChangeListener), () => _listener.Changed(name));

    void IAfterRelease.OnReleased(CoapShard shard) => TellObserved();

    private static ulong Bit(int shard) => 1UL << shard;

    private void TellObserved()
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

    // What happens once it counts as complete is noted; what happened before is seen under the lock of its shard. Both may be true.
    private void LookAnew()
    {
        _waiting.Clear();
        Volatile.Write(ref _count, 0);
        Volatile.Write(ref _isIncomplete, false);
        Dictionary<string, ulong> now = new(StringComparer.Ordinal);
        foreach ((string name, int shard) in _notice.ObservedNames())
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
