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
    private readonly OccasionalLog _capped;

    public BodyLayer(CoapShard shard, BodyMemory memory)
    {
        _shard = shard;
        _counters = shard.Environment.Counters;
        _busyMaxAge = shard.Environment.Limits.BusyMaxAge;
        _capped = new OccasionalLog(shard.Environment.TimeProvider);
        _bodies = new BodyTable<BodyEntry>(shard, memory.Requests, OnIdle, Evict);
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

    /// <summary>Bodies of a peer's requests that are not complete yet.</summary>
    public int CountOf(CoapChannel channel) => _bodies.CountOf(channel);

    /// <summary>Whether a block belongs to something that is under way, which goes on while the endpoint stops.</summary>
    public bool Continues(CoapExchange exchange)
    {
        CoapMessage message = exchange.Request.Message;
        return message.Options.Block1 is not null
            ? _bodies.TryGet(BodyKey.Of(exchange.Channel, message), out BodyEntry? entry) && entry is StreamedBody
            : message.Options.Block2 is { Number: > 0 };
    }

    /// <summary>The handler has answered, or never will: the memory of its request's body is not counted any more. Where an Echo is asked for, the last block comes again with it (RFC 9175 section 2.3), and finds the others.</summary>
    public void OnReplied(BodyAssembly assembly, CoapResult result)
    {
        if (result.AsksForEcho && !HasEnded(assembly.Channel) && _bodies.TryReattach(assembly, _shard.Environment.Now))
        {
            assembly.Reopen();
        }
        else
        {
            _bodies.Release(assembly);
        }
    }

    /// <summary>Whether a peer is gone for good, so that nothing may be kept for it: its connection has ended. One that was forgotten for lack of room may come back.</summary>
    public static bool HasEnded(CoapChannel channel) => channel is { IsConnection: true, IsForgotten: true };

    /// <summary>The peer was forgotten, and with it what it had not finished.</summary>
    public void Forget(CoapChannel channel)
    {
        string reason = channel.IsConnection ? "The connection has ended." : "The peer was forgotten for lack of room.";
        _bodies.AllOf(channel).ForEach(entry => GiveUp(entry, reason));
        Answers.Forget(channel);
    }

    /// <summary>The endpoint stops: whoever reads a body learns that nothing follows.</summary>
    public void Stop()
    {
        _bodies.All().ForEach(entry => GiveUp(entry, "The endpoint was stopped."));
        Answers.Clear();
    }

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
            entry.Channel.NoteDrop(CoapCounter.BodiesAbandoned);
        }

        GiveUp(entry, "The peer sent no further block in time.");
    }

    private void GiveUp(BodyEntry entry, string reason)
    {
        _bodies.Release(entry);
        if (entry is QBlockBody body)
        {
            _shard.Wheel.Cancel(body.Waiting);
        }

        if (entry is StreamedBody stream)
        {
            Abort(stream, reason);
        }
    }

    /// <summary>Makes room for an entry within the bounds.</summary>
    /// <returns>Null when there is room, otherwise the answer that refuses the block.</returns>
    private CoapResult? Charge(BodyEntry entry, long bytes, long now)
    {
        if (bytes <= 0)
        {
            return null;
        }

        while (_bodies.TryCharge(entry, bytes, bytes) is var shortage && shortage != BodyShortage.None)
        {
            // What the peer itself has under way and was idle longest goes first, then what makes no progress.
            if ((_bodies.OldestOf(entry.Channel, entry) ?? _bodies.FindVictim(entry, shortage, now)) is { } victim)
            {
                Evict(victim);
                continue;
            }

            _bodies.NoteRefusal(entry, shortage, now);
            _counters.Add(CoapCounter.BodiesRefused);
            entry.Channel.NoteDrop(CoapCounter.BodiesRefused);

            // Whoever shows that it receives at its address takes of a share of its own.
            bool isPooled = entry.Standing == BodyStanding.Newcomer || shortage == BodyShortage.Unverified;
            return isPooled && !entry.Channel.IsConnection ? CoapResults.FreshnessRequired()
                : entry.PeerCharge + bytes > _bodies.Budget.PeerMax ? BlockAnswers.TooLarge(Math.Max(0, _bodies.Budget.PeerMax - BodyAssembly.Overhead))
                : Busy();
        }

        entry.Charge += bytes;
        return null;
    }

    private void Evict(BodyEntry entry)
    {
        _counters.Add(CoapCounter.BodiesEvicted);
        GiveUp(entry, "There is no room for it any more.");
    }
}
