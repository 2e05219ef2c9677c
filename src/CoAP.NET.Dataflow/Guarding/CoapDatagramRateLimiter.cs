using CoAP.NET.Guarding;

namespace CoAP.NET;

/// <summary>
/// A block that drops the datagrams of a source beyond a rate. A datagram dropped at <see cref="CoapStageLinks.TransportToChannel"/>
/// creates no peer and is not parsed.
/// </summary>
/// <remarks>
/// <para>
/// A source is an IPv4 address or the first 56 bits of an IPv6 address (<see cref="CoapQuotaSource"/>). The rates are in a table of 32 KiB.
/// A source shares its four cells with others; it gets less than its rate only while others use up all four. For the sender a dropped
/// datagram is lost, as in the network: Confirmable messages are sent again (RFC 7252 section 4.2). Over <c>coap</c> a stranger who forges
/// the address of a client can use up its rate.
/// </para>
/// <para>
/// What arrives over connections passes: an endpoint reads from them only as fast as it answers. An endpoint makes one block for each of
/// its shards, and each has the whole rate.
/// </para>
/// </remarks>
/// <example>
/// <code>
/// options.Pipeline.Insert(CoapStageLinks.TransportToChannel, () =&gt; new CoapDatagramRateLimiter(perSecond: 100, burst: 200));
/// </code>
/// </example>
public sealed class CoapDatagramRateLimiter : CoapInlineBlock<CoapDatagram, CoapDatagram>
{
    private readonly Lock _gate = new();
    private readonly SourceRateLimiter _rates;
    private readonly TimeProvider _time;
    private long _dropped;

    /// <summary>Creates a block without links.</summary>
    /// <param name="perSecond">The datagrams of a source per second; above 0.</param>
    /// <param name="burst">How many of them may arrive at once; 1 or more.</param>
    /// <param name="timeProvider">The clock; null for that of the system.</param>
    /// <exception cref="ArgumentOutOfRangeException">The rate is not above 0, or the burst is below 1.</exception>
    public CoapDatagramRateLimiter(double perSecond, int burst, TimeProvider? timeProvider = null)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(perSecond);
        ArgumentOutOfRangeException.ThrowIfLessThan(burst, 1);
        _rates = new SourceRateLimiter(CoapRandomSource.Secure, RateLimit.PerSecond(perSecond, burst));
        _time = timeProvider ?? TimeProvider.System;
    }

    /// <summary>The number of datagrams that the block dropped.</summary>
    public long Dropped => Interlocked.Read(ref _dropped);

    /// <inheritdoc/>
    protected override bool Process(CoapDatagram item)
    {
        ArgumentNullException.ThrowIfNull(item);
        if (item.Transport is { IsReliable: true } || MayPass(CoapSourceGroupingRule.Default.Of(item.Remote)))
        {
            return Offer(item);
        }

        Interlocked.Increment(ref _dropped);
        item.Dispose();
        return true;
    }

    private bool MayPass(in CoapQuotaSource source)
    {
        lock (_gate)
        {
            return _rates.TryDraw(in source, 1, CoapEnvironment.ReadClock(_time));
        }
    }
}
