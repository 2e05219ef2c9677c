using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Blockwise;

/// <summary>
/// Block-wise transfer in the role of a server (RFC 7959) for the peers of one shard: which block is what of which body. A state machine: every method is
/// called under Shard.Gate, but for those that say otherwise.
/// </summary>
internal sealed partial class BodyLayer
{
    private readonly CoapShard _shard;
    private readonly CoapCounters _counters;
    private readonly BodyTable<BodyEntry> _bodies;
    private readonly int _busyMaxAge;

    public BodyLayer(CoapShard shard, BodyMemory memory)
    {
        _shard = shard;
        _counters = shard.Environment.Counters;
        _busyMaxAge = shard.Environment.Limits.BusyMaxAge;
        _bodies = new BodyTable<BodyEntry>(shard, memory.Requests, OnIdle);
        Answers = new AnswerStore(shard, memory.Responses);
        if (shard.Environment.QBlock != CoapQBlock.Off)
        {
            _pauses = new JitterSequence(shard.Environment.Random.NextUInt64());
        }
    }

    /// <summary>Answers that peers fetch block by block.</summary>
    public AnswerStore Answers { get; }

    /// <summary>Bodies of requests that are not complete yet.</summary>
    public int Count => _bodies.Count;

    /// <summary>Answers a block that waited, outside the lock; with null it gets no answer. Set by the block that owns the layer.</summary>
    public Action<CoapExchange, CoapResult?>? Reply { get; set; }

    /// <summary>Whether a block belongs to something that is under way, which goes on while the endpoint stops.</summary>
    public bool Continues(CoapExchange exchange)
    {
        CoapMessage message = exchange.Request.Message;
        return message.Options.Block1 is not null
            ? _bodies.TryGet(BodyKey.Of(exchange.Channel, message), out BodyEntry? entry) && entry is StreamedBody
            : message.Options.Block2 is { Number: > 0 };
    }

    /// <summary>The handler has answered, or never will: the memory of its request's body is not counted any more.</summary>
    public void OnReplied(BodyAssembly assembly) => _bodies.Release(assembly);

    /// <summary>The peer was forgotten, and with it what it had not finished.</summary>
    public void Forget(CoapChannel channel)
    {
        _bodies.AllOf(channel).ForEach(entry => GiveUp(entry, "The peer was forgotten for lack of room."));
        Answers.Forget(channel);
    }

    /// <summary>The endpoint stops: whoever reads a body learns that nothing follows.</summary>
    public void Stop() => _bodies.All().ForEach(entry => GiveUp(entry, "The endpoint was stopped."));

    private CoapResult Busy() => CoapResults.ServiceUnavailable(TimeSpan.FromSeconds(_busyMaxAge));

    private void OnIdle(BodyEntry entry)
    {
        if (entry is StreamedBody { IsFinal: true } or QBlockBody { Left: 0 })
        {
            // All blocks came; the handler may take its time. Only the memory is not counted for ever.
            _bodies.Release(entry);
            return;
        }

        if (entry.Place is not null)
        {
            _counters.Add(CoapCounter.BodiesAbandoned);
        }

        GiveUp(entry, "The peer sent no further block in time.");
    }

    private void GiveUp(BodyEntry entry, string reason)
    {
        _bodies.Release(entry);
        if (entry is QBlockBody body)
        {
            _shard.Wheel.Cancel(body.Patience);
        }

        if (entry is StreamedBody stream)
        {
            Abort(stream, reason);
        }
    }

    /// <summary>Makes room for an entry within the bounds.</summary>
    /// <returns>Null when there is room, otherwise the answer that refuses the block.</returns>
    private CoapResult? Charge(BodyEntry entry, long bytes)
    {
        if (bytes <= 0)
        {
            return null;
        }

        while (!_bodies.TryChargePeer(entry, bytes))
        {
            // Of a peer that has more under way than its share, what was idle longest goes.
            if (_bodies.OldestOf(entry.Channel, entry) is not { } oldest)
            {
                _counters.Add(CoapCounter.BodiesRefused);
                return entry.IsNewcomers ? Busy() : BlockAnswers.TooLarge(Math.Max(0, _bodies.Budget.PeerMax - BodyAssembly.Overhead));
            }

            Evict(oldest);
        }

        while (!_bodies.Budget.TryTake(bytes))
        {
            if (_bodies.OldestOf(entry.Channel, entry) is not { } oldest)
            {
                _bodies.DischargePeer(entry, bytes);
                _counters.Add(CoapCounter.BodiesRefused);
                return Busy();
            }

            Evict(oldest);
        }

        entry.Charge += bytes;
        return null;
    }

    private void Evict(BodyEntry entry)
    {
        _counters.Add(CoapCounter.BodiesEvicted);
        GiveUp(entry, "The peer began more bodies than there is room for.");
    }
}
