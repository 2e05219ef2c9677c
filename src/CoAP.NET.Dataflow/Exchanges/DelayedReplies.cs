using CoAP.NET.Channels;
using CoAP.NET.Execution;

namespace CoAP.NET.Exchanges;

/// <summary>
/// Answers to requests that were sent to a group, each of which waits for its random moment within the Leisure (RFC 7252 section 8.2). Bounded; what does not
/// fit gets no answer, as if the member had decided not to respond. Belongs to one shard.
/// </summary>
internal sealed class DelayedReplies
{
    private readonly CoapShard _shard;
    private readonly Action<CoapOutbound> _send;
    private readonly int _capacity;

    // Guarded by Shard.Gate.
    private readonly HashSet<Waiting> _waiting = [];
    private bool _isClosed;

    /// <summary>Makes it.</summary>
    /// <param name="shard">The shard.</param>
    /// <param name="capacity">How many answers may wait.</param>
    /// <param name="send">Sends an answer whose moment has come; called without the lock.</param>
    public DelayedReplies(CoapShard shard, int capacity, Action<CoapOutbound> send)
    {
        _shard = shard;
        _capacity = capacity;
        _send = send;
    }

    public int Count
    {
        get
        {
            lock (_shard.Gate)
            {
                return _waiting.Count;
            }
        }
    }

    /// <summary>Keeps an answer until a random moment within a period. No lock may be held.</summary>
    /// <param name="reply">The answer.</param>
    /// <param name="leisure">The period.</param>
    /// <returns>False when too many wait already.</returns>
    public bool TryAdd(in CoapOutbound reply, TimeSpan leisure)
    {
        // 53 random bits make a number from 0 up to 1.
        double share = (_shard.Environment.Random.NextUInt64() >> 11) * (1.0 / (1UL << 53));
        Waiting waiting = new(this, reply);
        _shard.Enter();
        try
        {
            if (_isClosed || _waiting.Count >= _capacity)
            {
                return false;
            }

            _waiting.Add(waiting);
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
            foreach (Waiting waiting in _waiting)
            {
                _shard.Wheel.Cancel(waiting);
            }

            int count = _waiting.Count;
            _waiting.Clear();
            return count;
        }
        finally
        {
            _shard.Exit();
        }
    }

    private sealed class Waiting(DelayedReplies owner, CoapOutbound reply) : WheelTimer
    {
        internal override void Fire(long now)
        {
            owner._waiting.Remove(this);
            owner._shard.AfterRelease(static state => ((Waiting)state!).Send(), this);
        }

        private void Send() => owner._send(reply);
    }
}
