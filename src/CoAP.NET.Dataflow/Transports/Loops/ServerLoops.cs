using System.Runtime.CompilerServices;

namespace CoAP.NET.Transports.Loops;

/// <summary>
/// The loops of a serving endpoint, one for each shard, shared by all its transports. They run while a transport uses them.
/// </summary>
internal sealed class ServerLoops
{
    private static readonly ConditionalWeakTable<ICoapTransportContext, ServerLoops> s_loops = [];

    private readonly ICoapTransportContext _context;
    private readonly Lock _gate = new();
    private EpollLoop[] _loops = [];
    private int _users;

    private ServerLoops(ICoapTransportContext context) => _context = context;

    public bool IsRunning => Volatile.Read(ref _users) > 0;

    public static ServerLoops Of(ICoapTransportContext context) => s_loops.GetValue(context, static key => new ServerLoops(key));

    /// <summary>Returns the running loops; release them with <see cref="Release"/>.</summary>
    /// <returns>One for each shard; null when no thread was available.</returns>
    public EpollLoop[]? Acquire()
    {
        lock (_gate)
        {
            if (_users == 0)
            {
                if (Start() is not { } loops)
                {
                    return null;
                }

                _loops = loops;
            }

            _users++;
            return _loops;
        }
    }

    public void Release()
    {
        EpollLoop[] loops;
        lock (_gate)
        {
            if (--_users > 0)
            {
                return;
            }

            loops = _loops;
            _loops = [];
        }

        End(loops);
    }

    private static void End(IEnumerable<EpollLoop> loops)
    {
        foreach (EpollLoop loop in loops)
        {
            loop.End();
        }
    }

    private EpollLoop[]? Start()
    {
        List<EpollLoop> started = [];
        try
        {
            while (started.Count < Math.Max(1, _context.ShardCount))
            {
                EpollLoop loop = new(_context.Scheduler, started.Count, null);
                if (!loop.TryStart())
                {
                    loop.Close();
                    End(started);
                    return null;
                }

                started.Add(loop);
            }
        }
        catch
        {
            End(started);
            throw;
        }

        return [.. started];
    }
}
