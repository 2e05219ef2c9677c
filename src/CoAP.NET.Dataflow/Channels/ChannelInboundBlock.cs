namespace CoAP.NET.Channels;

/// <summary>
/// The inbound half of the Channel stage: finds the <see cref="CoapChannel"/> of a datagram's peer, and creates it for a new peer.
/// </summary>
internal sealed class ChannelInboundBlock : InlineBlock<CoapDatagram, CoapDatagram>
{
    private static readonly CoapAddress s_broadcast = CoapAddress.FromIPv4(uint.MaxValue, 0);

    private readonly CoapShard _shard;
    private readonly ChannelTable _table;
    private readonly CoapAddressHash _hash;

    internal ChannelInboundBlock(CoapShard shard, ChannelTable table, CoapAddressHash hash)
        : base(shard.Environment.Counters, shard.Environment.Logger)
    {
        _shard = shard;
        _table = table;
        _hash = hash;
    }

    internal override void Process(CoapDatagram item)
    {
        if (TryAttach(item))
        {
            Offer(item);
        }
    }

    /// <summary>Finds the channel of a datagram, and creates it for a new peer.</summary>
    /// <returns>False if it belongs to no peer; it is counted and disposed then.</returns>
    internal bool TryAttach(CoapDatagram item)
    {
        if (item.Channel is { } known)
        {
            return known.IsReliable || TryTouchSession(known, TimeOf(item)) || Ignore(item);
        }

        if (item.Remote.Port == 0 || item.Transport is null or { IsReliable: true })
        {
            // Port 0 cannot be answered; its sender wants no answer or is malicious. Frames of a connection already have its channel.
            return Ignore(item);
        }

        long now = TimeOf(item);
        _shard.MindClock(now);
        if (item.Expected is { } expected)
        {
            item.Expected = null;
            if (ChannelTable.TryTouch(expected, now))
            {
                item.Channel = expected;
                return true;
            }
        }

        ulong hash = _hash.Of(item.Remote);
        item.Channel = (_table.HasPinned ? _table.TryGetForInbound(item, CoapAddressHash.Of(hash, item.Local), now) : null)
            ?? _table.TryGetForInbound(item, hash, now);
        if (item.Channel is null)
        {
            if (IsUnspecified(item.Remote))
            {
                return Ignore(item);
            }

            item.Channel = GetOrAdd(item, hash, now);
        }

        return true;
    }

    private bool Ignore(CoapDatagram item)
    {
        Counters.Add(CoapCounter.Ignored);
        item.Dispose();
        return false;
    }

    // The transport knows the session of a datagram. A datagram in an ended session belongs to no peer.
    private bool TryTouchSession(CoapChannel channel, long now)
    {
        if (channel.IsForgotten)
        {
            return !channel.IsConnection;
        }

        _shard.MindClock(now);
        channel.LastSeen = now;
        return true;
    }

    // A block of the application may offer a datagram of its own.
    private long TimeOf(CoapDatagram item) => item.ReceivedAt != 0 ? item.ReceivedAt : _shard.Environment.Now;

    // A group, broadcast or unspecified address is not a valid source (RFC 1122 section 3.2.1.3, RFC 4291 section 2.7): an answer would hit
    // many hosts, or be lost. Most operating systems drop such datagrams, but not all transports use them.
    private static bool IsUnspecified(CoapAddress remote) =>
        remote.IsMulticast || remote.IsAny || remote == s_broadcast with { Port = remote.Port };

    private CoapChannel GetOrAdd(CoapDatagram item, ulong hash, long now)
    {
        CoapChannel channel;
        _shard.Enter();
        try
        {
            channel = _table.GetForInbound(item, hash, now);
        }
        finally
        {
            _shard.ExitAndSend();
        }

        if (channel.AsksForParameters)
        {
            channel.AskForParameters();
        }

        return channel;
    }
}
