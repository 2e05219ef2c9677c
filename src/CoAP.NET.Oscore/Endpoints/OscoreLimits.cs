using CoAP.NET.Settings;

namespace CoAP.NET.Oscore;

/// <summary>
/// Limits of the memory and work that unauthenticated peers can cause through OSCORE. Set them before an endpoint uses the contexts.
/// </summary>
/// <remarks>
/// <see cref="CoapPeerStateLimits.MaxProtectedPerAddress"/> limits the protected peers behind one address.
/// <see cref="OscoreContexts.MaxUnfragmentedSize"/> limits the reassembly of messages that a proxy split.
/// </remarks>
[HasSettings]
public sealed partial class OscoreLimits
{
    private const int Most = 1_048_576;
    private const int MostAtATime = 65_536;

    /// <summary>Maximum number of concurrent lookups through <see cref="OscoreContexts.Resolver"/>, per shard.</summary>
    /// <remarks>The endpoint treats a request with a further unknown ID as one without a context.</remarks>
    [NumberRange(1, MostAtATime)]
    public partial int MaxLookups { get; set; } = 64;

    /// <summary>Maximum number of concurrent lookups for requests of one source (<see cref="CoapQuotaSource"/>).</summary>
    [NumberRange(1, MostAtATime)]
    public partial int MaxLookupsPerSource { get; set; } = 8;

    /// <summary>Number of lookups that one source can cause in a burst before <see cref="LookupsPerSecond"/> applies.</summary>
    [NumberRange(1, Most)]
    public partial int LookupBurst { get; set; } = 256;

    /// <summary>Number of lookups per second that one source can cause after the burst, however soon each ends.</summary>
    [NumberRange(1, Most)]
    public partial int LookupsPerSecond { get; set; } = 64;

    /// <summary>
    /// Number of lookups that all unverified addresses together can cause in a burst before <see cref="UnverifiedLookupsPerSecond"/>
    /// applies.
    /// </summary>
    /// <remarks>
    /// A sender that forges addresses has any number of sources. Beyond the limit a request gets 4.01 with an Echo (RFC 9175), and the
    /// endpoint looks up its ID when the request returns with the Echo.
    /// </remarks>
    [NumberRange(1, Most)]
    public partial int UnverifiedLookupBurst { get; set; } = 1024;

    /// <summary>Number of lookups per second that all unverified addresses together can cause after the burst.</summary>
    [NumberRange(1, Most)]
    public partial int UnverifiedLookupsPerSecond { get; set; } = 256;

    /// <summary>Number of unknown IDs that each shard remembers; with more, the resolver gets some of them again.</summary>
    [NumberRange(1, Most)]
    public partial int MaxUnknownIds { get; set; } = 1024;

    /// <summary>How long a shard remembers that an ID is unknown.</summary>
    /// <remarks>The endpoint may refuse a new device for this long if a request came too early.</remarks>
    [TimeRange(0, Seconds.Day)]
    public partial TimeSpan UnknownIdTime { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>Number of unprotected refusals to one source in a burst before <see cref="RefusalsPerSecond"/> applies.</summary>
    /// <remarks>The endpoint drops requests beyond the limit.</remarks>
    [NumberRange(1, Most)]
    public partial int RefusalBurst { get; set; } = 32;

    /// <summary>Number of refusals per second to one source after the burst.</summary>
    [NumberRange(1, Most)]
    public partial int RefusalsPerSecond { get; set; } = 8;

    /// <summary>
    /// Number of key derivations (RFC 8613 appendix B.2) that one source can cause in a burst before <see cref="DerivationsPerSecond"/>
    /// applies.
    /// </summary>
    /// <remarks>Applies to contexts of <see cref="OscoreContext.CreateRederived"/>. The endpoint drops requests beyond the limit.</remarks>
    [NumberRange(1, Most)]
    public partial int DerivationBurst { get; set; } = 32;

    /// <summary>Number of key derivations per second that one source can cause after the burst.</summary>
    [NumberRange(1, Most)]
    public partial int DerivationsPerSecond { get; set; } = 16;

    /// <summary>
    /// Maximum number of requests of a protected peer that wait for their responses; a further one replaces the oldest, which gets no
    /// response.
    /// </summary>
    /// <remarks>Observations do not count.</remarks>
    [NumberRange(1, Most)]
    public partial int MaxRequestsPerPeer { get; set; } = 1024;
}
