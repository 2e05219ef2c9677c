using System.Net.Sockets;
using CoAP.NET.Signalling;

namespace CoAP.NET.Messaging;

/// <summary>
/// The inbound half of RFC 7252 section 4. Duplicates and replies to sent messages stay here. New messages go up with a
/// <see cref="ReceivedMessage"/>, responses to requests with their <see cref="CoapTransmission"/>, and so do the outcomes of sent messages.
/// Acknowledgements, resets and stored replies leave by the outbound half.
/// </summary>
internal sealed class MessagingInboundBlock : InlineBlock<CoapInbound, CoapInbound>
{
    private readonly CoapShard _shard;
    private readonly MessageLayer _layer;
    private readonly SignallingLayer _signalling;

    internal MessagingInboundBlock(CoapShard shard, MessageLayer layer, SignallingLayer? signalling = null)
        : base(shard.Environment.Counters, shard.Environment.Logger)
    {
        _shard = shard;
        _layer = layer;
        _signalling = signalling ?? new SignallingLayer(shard);
    }

    /// <summary>Handles a report of the peer's host that its port is unreachable; fails the quoted message, if it is outstanding.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="quoted">The beginning of the sent datagram, at least 4 bytes.</param>
    internal void Unreachable(CoapChannel channel, ReadOnlySpan<byte> quoted)
    {
        _shard.Enter();
        try
        {
            _layer.Unreachable(channel, quoted);
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    /// <summary>
    /// Handles a datagram that the operating system refused for a permanent reason; fails the message, if it is outstanding. The caller
    /// must hold no lock.
    /// </summary>
    internal void SendFailed(CoapChannel channel, ReadOnlySpan<byte> bytes, SocketError error)
    {
        _shard.Enter();
        try
        {
            _layer.SendFailed(channel, bytes, error);
        }
        finally
        {
            _shard.ExitAndSend();
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
            goesUp = _layer.ReceiveUnlessEnded(item, TimeOf(in item), out up);
        }
        finally
        {
            _shard.ExitAndSend();
        }

        if (goesUp)
        {
            Offer(up);
        }
    }

    /// <inheritdoc/>
    private protected override void OnDeclined(CoapInbound item)
    {
        if (item.Received is { } received)
        {
            _shard.Enter();
            try
            {
                _layer.OnNotTaken(received, item.Message, _shard.Environment.Now);
            }
            finally
            {
                _shard.ExitAndSend();
            }
        }
        else if (item.Channel.IsReliable && _layer.BusyResponseTo(item.Message) is { } busy)
        {
            Counters.Add(CoapCounter.Busy);
            _shard.Enter();
            _shard.Post(new CoapOutbound { Channel = item.Channel, Message = busy });
            _shard.ExitAndSend();
        }
    }

    /// <inheritdoc/>
    private protected override void OnLost(CoapInbound item)
    {
        // A block of the application threw. Unless it passed the message on before, nothing answers it.
        if (item.Received is null
            ? item is { Kind: CoapInboundKind.Message, Message.Code.IsRequest: true }
            : item.Received.State is ReceivedMessageState.Pending or ReceivedMessageState.Acknowledged)
        {
            OnDeclined(item);
        }
    }

    // A block of the application may offer an item of its own.
    private long TimeOf(in CoapInbound item) => item.ReceivedAt != 0 ? item.ReceivedAt : _shard.Environment.Now;

    // RFC 8323: nothing is repeated, so ordinary messages need not be remembered.
    private void ProcessReliable(in CoapInbound item)
    {
        long now = TimeOf(in item);
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
            _shard.ExitAndSend();
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
                _shard.ExitAndSend();
            }
        }
    }

    /// <summary>
    /// Answers 5.03 to requests that blocks of the application still hold, because the endpoint stops. The caller must hold no lock.
    /// </summary>
    internal void RefuseUnanswered()
    {
        _shard.Enter();
        try
        {
            _layer.RefuseUnanswered(_shard.Environment.Now);
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }
}
