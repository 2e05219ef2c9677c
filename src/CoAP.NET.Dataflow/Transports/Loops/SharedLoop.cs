using System.Runtime.CompilerServices;

namespace CoAP.NET.Transports.Loops;

/// <summary>
/// The one loop that the client transports of a scheduler share, so an idle client owns no thread. The first client creates it, and it ends
/// some seconds after the last one left.
/// </summary>
internal sealed class SharedLoop
{
    private static readonly long s_grace = 2 * TimeProvider.System.TimestampFrequency;
    private static readonly ConditionalWeakTable<CoapThreadScheduler, SharedLoop> s_loops = [];

    private readonly CoapThreadScheduler _scheduler;
    private readonly Lock _gate = new();
    private EpollLoop? _loop;
    private long _endsAt = long.MaxValue;

    private SharedLoop(CoapThreadScheduler scheduler) => _scheduler = scheduler;

    /// <summary>When the loop may end, in units of TimeProvider.System; <see cref="long.MaxValue"/> while it is in use.</summary>
    public long EndsAt => Volatile.Read(ref _endsAt);

    public static SharedLoop Of(CoapThreadScheduler scheduler) => s_loops.GetValue(scheduler, static key => new SharedLoop(key));

    /// <summary>Returns the running loop; release it with <see cref="Release"/>.</summary>
    /// <returns>The loop; null when no thread was available.</returns>
    public EpollLoop? Acquire()
    {
        lock (_gate)
        {
            if (_loop is null)
            {
                EpollLoop loop = new(_scheduler, 0, this);
                if (!loop.TryStart())
                {
                    loop.Close();
                    return null;
                }

                _loop = loop;
            }

            _loop.Users++;
            _endsAt = long.MaxValue;
            return _loop;
        }
    }

    /// <summary>Releases the result of <see cref="Acquire"/>.</summary>
    public void Release(EpollLoop loop)
    {
        lock (_gate)
        {
            if (--loop.Users > 0)
            {
                return;
            }

            if (loop == _loop)
            {
                _endsAt = TimeProvider.System.GetTimestamp() + s_grace;
            }
        }

        loop.Signal();
    }

    /// <summary>Replaces a failed loop: later clients get another one.</summary>
    public void Replace(EpollLoop loop)
    {
        lock (_gate)
        {
            if (loop == _loop)
            {
                _loop = null;
                _endsAt = long.MaxValue;
            }
        }
    }

    /// <summary>The loop calls this before it waits. Returns true when it must end.</summary>
    public bool TryEnd(EpollLoop loop)
    {
        if (loop == Volatile.Read(ref _loop) && TimeProvider.System.GetTimestamp() < EndsAt)
        {
            return false;
        }

        lock (_gate)
        {
            if (loop.Users > 0 || (loop == _loop && TimeProvider.System.GetTimestamp() < _endsAt))
            {
                return false;
            }

            if (_loop == loop)
            {
                _loop = null;
            }

            return true;
        }
    }
}
