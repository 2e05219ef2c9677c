namespace CoAP.NET.Oscore;

/// <summary>
/// Limits of the memory and work that unauthenticated peers can cause through OSCORE. Set them before an endpoint uses the contexts.
/// </summary>
/// <remarks>
/// <see cref="CoapPeerStateLimits.MaxProtectedPerAddress"/> limits the protected peers behind one address.
/// <see cref="OscoreContexts.MaxUnfragmentedSize"/> limits the reassembly of messages that a proxy split.
/// </remarks>
public sealed class OscoreLimits
{
    private const int Most = 1_048_576;
    private const int MostAtATime = 65_536;

    /// <summary>Maximum number of concurrent look-ups through <see cref="OscoreContexts.Resolver"/>, per shard.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 65,536.</exception>
    /// <remarks>The endpoint treats a request with a further unknown ID as one without a context. Default 64; 1 to 65,536.</remarks>
    public int MaxLookups { get; set => field = Checked(value, MostAtATime); } = 64;

    /// <summary>Maximum number of concurrent look-ups for requests of one source (<see cref="CoapQuotaSource"/>).</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 65,536.</exception>
    /// <remarks>Default 8; 1 to 65,536.</remarks>
    public int MaxLookupsPerSource { get; set => field = Checked(value, MostAtATime); } = 8;

    /// <summary>Number of look-ups that one source can cause in a burst before <see cref="LookupsPerSecond"/> applies.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    /// <remarks>Default 256; 1 to 1,048,576.</remarks>
    public int LookupBurst { get; set => field = Checked(value, Most); } = 256;

    /// <summary>Number of look-ups per second that one source can cause after the burst, however soon each ends.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    /// <remarks>Default 64; 1 to 1,048,576.</remarks>
    public int LookupsPerSecond { get; set => field = Checked(value, Most); } = 64;

    /// <summary>
    /// Number of look-ups that all unverified addresses together can cause in a burst before <see cref="UnverifiedLookupsPerSecond"/>
    /// applies.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    /// <remarks>
    /// A sender that forges addresses has any number of sources. Beyond the limit a request gets 4.01 with an Echo (RFC 9175), and the
    /// endpoint looks up its ID when the request returns with the Echo. Default 1,024; 1 to 1,048,576.
    /// </remarks>
    public int UnverifiedLookupBurst { get; set => field = Checked(value, Most); } = 1024;

    /// <summary>Number of look-ups per second that all unverified addresses together can cause after the burst.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    /// <remarks>Default 256; 1 to 1,048,576.</remarks>
    public int UnverifiedLookupsPerSecond { get; set => field = Checked(value, Most); } = 256;

    /// <summary>Number of unknown IDs that each shard remembers; with more, the resolver gets some of them again.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    /// <remarks>Default 1,024; 1 to 1,048,576.</remarks>
    public int MaxUnknownIds { get; set => field = Checked(value, Most); } = 1024;

    /// <summary>How long a shard remembers that an ID is unknown.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0 to 1 day.</exception>
    /// <remarks>The endpoint may refuse a new device for this long if a request came too early. Default 1 minute; 0 to 1 day.</remarks>
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

    /// <summary>Number of unprotected refusals to one source in a burst before <see cref="RefusalsPerSecond"/> applies.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    /// <remarks>The endpoint drops requests beyond the limit. Default 32; 1 to 1,048,576.</remarks>
    public int RefusalBurst { get; set => field = Checked(value, Most); } = 32;

    /// <summary>Number of refusals per second to one source after the burst.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    /// <remarks>Default 8; 1 to 1,048,576.</remarks>
    public int RefusalsPerSecond { get; set => field = Checked(value, Most); } = 8;

    /// <summary>
    /// Number of key derivations (RFC 8613 appendix B.2) that one source can cause in a burst before <see cref="DerivationsPerSecond"/>
    /// applies.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    /// <remarks>
    /// Applies to contexts of <see cref="OscoreContext.CreateRederived"/>. The endpoint drops requests beyond the limit. Default 32; 1 to
    /// 1,048,576.
    /// </remarks>
    public int DerivationBurst { get; set => field = Checked(value, Most); } = 32;

    /// <summary>Number of key derivations per second that one source can cause after the burst.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    /// <remarks>Default 16; 1 to 1,048,576.</remarks>
    public int DerivationsPerSecond { get; set => field = Checked(value, Most); } = 16;

    /// <summary>
    /// Maximum number of requests of a protected peer that wait for their responses; a further one replaces the oldest, which gets no
    /// response.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,048,576.</exception>
    /// <remarks>Observations do not count. Default 1,024; 1 to 1,048,576.</remarks>
    public int MaxRequestsPerPeer { get; set => field = Checked(value, Most); } = 1024;

    private static int Checked(int value, int most)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, most);
        return value;
    }
}
