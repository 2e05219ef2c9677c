using System.Net.Sockets;
using CoAP.NET.Signalling;

namespace CoAP.NET.Messaging;

/// <summary>
/// The inbound half of RFC 7252 section 4: duplicates and what belongs to messages of ours stay here; new messages go up with a
/// <see cref="CoapReception"/>, responses to requests of ours with their <see cref="CoapTransmission"/>, and so does what became of our
/// messages. Acknowledgements, resets and stored replies leave by the outbound half.
/// </summary>
internal sealed class MessagingInbound : InlineBlock<CoapInbound, CoapInbound>
{
    private readonly CoapShard _shard;
    private readonly MessageLayer _layer;
    private readonly SignallingLayer _signalling;

    internal MessagingInbound(CoapShard shard, MessageLayer layer, SignallingLayer? signalling = null)
        : base(shard.Environment.Counters, shard.Environment.Logger)
    {
        _shard = shard;
        _layer = layer;
        _signalling = signalling ?? new SignallingLayer(shard);
    }

    /// <summary>
    /// The peer's host reported its port unreachable and quoted a datagram of ours; fails the message that is quoted, if it is outstanding.
    /// </summary>
    /// <param name="channel">The peer.</param>
    /// <param name="quoted">The beginning of our datagram, at least 4 bytes.</param>
    internal void Unreachable(CoapChannel channel, ReadOnlySpan<byte> quoted)
    {
        _shard.Enter();
        try
        {
            _layer.Unreachable(channel, quoted);
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>
    /// The operating system refused a datagram of ours for a reason that does not pass; fails the message, if it is outstanding. No lock
    /// may be held.
    /// </summary>
    /// <param name="channel">The peer.</param>
    /// <param name="bytes">The datagram.</param>
    /// <param name="error">What the operating system said.</param>
    internal void SendFailed(CoapChannel channel, ReadOnlySpan<byte> bytes, SocketError error)
    {
        _shard.Enter();
        try
        {
            _layer.SendFailed(channel, bytes, error);
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <inheritdoc/>
    internal override void Process(CoapInbound item)
    {
        if (item.Channel.IsReliable)
        {
            ProcessReliable(in item);
            return;
        }

        bool goesUp;
        CoapInbound up;
        _shard.Enter();
        try
        {
            goesUp = _layer.ReceiveUnlessEnded(item, _shard.Environment.Now, out up);
        }
        finally
        {
            _shard.Exit();
        }

        if (goesUp)
        {
            Offer(up);
        }
    }

    /// <inheritdoc/>
    private protected override void OnDeclined(CoapInbound item)
    {
        if (item.Reception is { } reception)
        {
            _shard.Enter();
            try
            {
                _layer.OnNotTaken(reception, item.Message, _shard.Environment.Now);
            }
            finally
            {
                _shard.Exit();
            }
        }
        else if (item.Channel.IsReliable && _layer.BusyResponseTo(item.Message) is { } busy)
        {
            Counters.Add(CoapCounter.Busy);
            _shard.Enter();
            _shard.Post(new CoapOutbound { Channel = item.Channel, Message = busy });
            _shard.Exit();
        }
    }

    /// <inheritdoc/>
    private protected override void OnLost(CoapInbound item)
    {
        // A block of a user threw. Unless it had passed the message on and there is an answer, there will be none.
        if (item.Reception is null
            ? item is { Kind: CoapInboundKind.Message, Message.Code.IsRequest: true }
            : item.Reception.State is CoapReceptionState.Pending or CoapReceptionState.Acknowledged)
        {
            OnDeclined(item);
        }
    }

    // RFC 8323: nothing is repeated, so nothing has to be remembered of what is neither signalling nor against a rule.
    private void ProcessReliable(in CoapInbound item)
    {
        long now = _shard.Environment.Now;
        if (SignallingLayer.IsPlain(in item))
        {
            item.Channel.LastSeen = now;
            Offer(item);
            return;
        }

        bool goesUp;
        _shard.Enter();
        try
        {
            goesUp = _signalling.Receive(in item, now);
        }
        finally
        {
            _shard.Exit();
        }

        if (goesUp)
        {
            Offer(item);
            _shard.Enter();
            try
            {
                _signalling.OnDrained(item.Channel);
            }
            finally
            {
                _shard.Exit();
            }
        }
    }

    /// <summary>Offers up what became of our messages; called by <see cref="Shard.ShardDrain"/>, outside the lock.</summary>
    internal void Raise(in CoapInbound item) => Offer(item);
}
