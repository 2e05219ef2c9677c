namespace CoAP.NET.Oscore;

/// <summary>
/// Bounds for what strangers can have an endpoint keep or do by OSCORE. Set them before an endpoint uses the contexts. How many protected
/// peers are remembered behind one address is said by <see cref="CoapLimits.MaxProtectedPeers"/>, and how large messages are put together
/// that a proxy cut by <see cref="OscoreContexts.MaxUnfragmentedSize"/>.
/// </summary>
public sealed class OscoreLimits
{
    private const int Most = 1_048_576;
    private const int MostAtATime = 65_536;

    /// <summary>
    /// For how many IDs <see cref="OscoreContexts.Resolver"/> is asked at a time, by each shard; a request with another unknown ID is
    /// answered as if it had no context. Default 64; 1 to 65,536.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 65,536.</exception>
    public int MaxLookups { get; set => field = Checked(value, MostAtATime); } = 64;

    /// <summary>
    /// How many of them the requests of one source (<see cref="CoapSource"/>) cause. Default 8; 1 to 65,536.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 65,536.</exception>
    public int MaxLookupsPerSource { get; set => field = Checked(value, MostAtATime); } = 8;

    /// <summary>How many look-ups a source causes one after the other before <see cref="LookupsPerSecond"/> holds. Default 256; 1 to
    /// 1,048,576.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    public int LookupBurst { get; set => field = Checked(value, Most); } = 256;

    /// <summary>How many look-ups a second a source causes after that, however soon each ends. Default 64; 1 to 1,048,576.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    public int LookupsPerSecond { get; set => field = Checked(value, Most); } = 64;

    /// <summary>
    /// How many look-ups all addresses that nobody has verified cause together, one after the other, before
    /// <see cref="UnverifiedLookupsPerSecond"/> holds: whoever forges addresses has as many sources as he likes. Beyond it a request is
    /// answered 4.01 with an Echo (RFC 9175), and its ID looked up when it comes again with it. Default 1,024; 1 to 1,048,576.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    public int UnverifiedLookupBurst { get; set => field = Checked(value, Most); } = 1024;

    /// <summary>How many look-ups a second they cause after that. Default 256; 1 to 1,048,576.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    public int UnverifiedLookupsPerSecond { get; set => field = Checked(value, Most); } = 256;

    /// <summary>
    /// Of how many IDs each shard remembers that nobody has them; of more, some are asked for once more. Default 1,024; 1 to 1,048,576.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    public int MaxUnknownIds { get; set => field = Checked(value, Most); } = 1024;

    /// <summary>
    /// For how long it is remembered that nobody has an ID: so long a new device may be refused that was asked for too early. Default 1
    /// minute; 0 to 1 day.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0 to 1 day.</exception>
    public TimeSpan UnknownIdTime
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromDays(1));
            field = value;
        }
    }
    = TimeSpan.FromMinutes(1);

    /// <summary>
    /// How many refusals without protection a source is sent at once; beyond <see cref="RefusalsPerSecond"/> its requests are dropped.
    /// Default 32; 1 to 1,048,576.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    public int RefusalBurst { get; set => field = Checked(value, Most); } = 32;

    /// <summary>How many refusals a second a source is sent after that. Default 8; 1 to 1,048,576.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    public int RefusalsPerSecond { get; set => field = Checked(value, Most); } = 8;

    /// <summary>
    /// How many times at once a source has keys derived anew (RFC 8613 appendix B.2), where <see cref="OscoreContext.CreateRederived"/> is
    /// used; beyond <see cref="DerivationsPerSecond"/> its requests are dropped. Default 32; 1 to 1,048,576.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    public int DerivationBurst { get; set => field = Checked(value, Most); } = 32;

    /// <summary>How many times a second a source has keys derived anew after that. Default 16; 1 to 1,048,576.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    public int DerivationsPerSecond { get; set => field = Checked(value, Most); } = 16;

    /// <summary>
    /// How many requests of a protected peer may wait for their responses; for one more, the oldest gets none. Observations do not count.
    /// Default 1,024; 1 to 1,048,576.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    public int MaxRequestsPerPeer { get; set => field = Checked(value, Most); } = 1024;

    private static int Checked(int value, int most)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, most);
        return value;
    }
}
