using CoAP.NET.Channels;
using CoAP.NET.Execution;
using CoAP.NET.Transports;

namespace CoAP.NET.Exchanges;

/// <summary>
/// Answers to requests that were sent to a group, each of which waits for its random moment within the Leisure (RFC 7252 section 8.2). Bounded: when it is full, an answer for the source with most
/// of them is dropped, as if the member had decided not to respond. Belongs to one shard.
/// </summary>
internal sealed class DelayedReplies
{
    private readonly CoapShard _shard;
    private readonly Action<CoapOutbound> _send;
    private readonly Action<CoapOutbound> _drop;
    private readonly int _capacity;

    // Guarded by Shard.Gate: those of each source.
    private readonly Dictionary<CoapAddress, HashSet<Waiting>> _waiting = [];
    private int _count;
    private bool _isClosed;

    /// <summary>Makes it.</summary>
    /// <param name="shard">The shard.</param>
    /// <param name="capacity">How many answers may wait.</param>
    /// <param name="send">Sends an answer whose moment has come; called without the lock.</param>
    /// <param name="drop">Takes an answer that made room for that of another source; called without the lock.</param>
    public DelayedReplies(CoapShard shard, int capacity, Action<CoapOutbound> send, Action<CoapOutbound> drop)
    {
        _shard = shard;
        _capacity = capacity;
        _send = send;
        _drop = drop;
    }

    public int Count
    {
        get
        {
            lock (_shard.Gate)
            {
                return _count;
            }
        }
    }

    /// <summary>Keeps an answer until a random moment within a period. No lock may be held.</summary>
    /// <param name="reply">The answer.</param>
    /// <param name="leisure">The period.</param>
    /// <returns>False when too many wait already, and no other source has more of them.</returns>
    public bool TryAdd(in CoapOutbound reply, TimeSpan leisure)
    {
        // 53 random bits make a number from 0 up to 1.
        double share = (_shard.Environment.Random.NextUInt64() >> 11) * (1.0 / (1UL << 53));
        Waiting waiting = new(this, reply, SourceBudgets.SourceOf(reply.Channel.Remote));
        _shard.Enter();
        try
        {
            if (_isClosed || (_count >= _capacity && !TryMakeRoom(waiting.Source)))
            {
                return false;
            }

            Add(waiting);
            _shard.Wheel.Schedule(waiting, _shard.Environment.Now + (long)(leisure.Ticks * share));
            return true;
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>Gives up all that waits, because the endpoint stops. No lock may be held.</summary>
    /// <returns>How many there were.</returns>
    public int Close()
    {
        _shard.Enter();
        try
        {
            _isClosed = true;
            foreach (Waiting waiting in _waiting.Values.SelectMany(static ofSource => ofSource))
            {
                _shard.Wheel.Cancel(waiting);
            }

            int count = _count;
            _waiting.Clear();
            _count = 0;
            return count;
        }
        finally
        {
            _shard.Exit();
        }
    }

    private void Add(Waiting waiting)
    {
        if (!_waiting.TryGetValue(waiting.Source, out HashSet<Waiting>? ofSource))
        {
            _waiting.Add(waiting.Source, ofSource = []);
        }

        ofSource.Add(waiting);
        _count++;
    }

    private void Remove(Waiting waiting)
    {
        HashSet<Waiting> ofSource = _waiting[waiting.Source];
        ofSource.Remove(waiting);
        _count--;
        if (ofSource.Count == 0)
        {
            _waiting.Remove(waiting.Source);
        }
    }

    // There are no more sources than answers that may wait.
    private bool TryMakeRoom(CoapAddress source)
    {
        int own = _waiting.TryGetValue(source, out HashSet<Waiting>? ofSource) ? ofSource.Count : 0;
        HashSet<Waiting> most = _waiting.Values.MaxBy(static other => other.Count)!;
        if (most.Count <= own + 1)
        {
            return false;
        }

        Waiting dropped = most.First();
        _shard.Wheel.Cancel(dropped);
        Remove(dropped);
        _shard.AfterRelease(static state => ((Waiting)state!).Drop(), dropped);
        return true;
    }

    private sealed class Waiting(DelayedReplies owner, CoapOutbound reply, CoapAddress source) : WheelTimer
    {
        public CoapAddress Source => source;

        public void Drop() => owner._drop(reply);

        internal override void Fire(long now)
        {
            owner.Remove(this);
            owner._shard.AfterRelease(static state => ((Waiting)state!).Send(), this);
        }

        private void Send() => owner._send(reply);
    }
}
