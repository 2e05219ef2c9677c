using System.Net;

namespace CoAP.NET;

/// <summary>The limits of what an endpoint remembers about peers, and what belongs to one source.</summary>
/// <remarks>The group <see cref="CoapLimits.Peers"/>. Read-only once an endpoint uses it.</remarks>
[HasSettings]
public sealed partial class CoapPeerStateLimits
{
    internal CoapPeerStateLimits()
    {
    }

    internal const int DefaultSourcePrefixLength = 56;

    /// <summary>The maximum number of remembered peers with more than one exchange.</summary>
    /// <remarks>
    /// When full: the endpoint forgets the peer that was idle longest and has no state younger than its lifetime, counted as
    /// <c>ChannelEvictions</c>.
    /// </remarks>
    [NumberRange(1, 100_000_000)]
    public partial int MaxCount { get; set; } = 100_000;

    /// <summary>How long the endpoint remembers a silent peer.</summary>
    /// <remarks>
    /// With an infinite time, it remembers the peer while there is room (<see cref="MaxCount"/>). It does not forget a peer
    /// with a running request, transfer or observation, with state younger than its lifetime, or with an address that is still verified.
    /// </remarks>
    [TimeRange(Seconds.Minute, 300 * Seconds.Day, OrInfinite = true)]
    public partial TimeSpan IdleLifetime { get; set; } = TimeSpan.FromDays(1);

    /// <summary>Memory for newcomers, the peers with only one exchange so far, in bytes, including their deduplication.</summary>
    /// <remarks>
    /// When full: newcomers replace newcomers, and no other peers. In addition, their unfinished bodies and their block-wise responses may
    /// each take a quarter of this size, and one newcomer per 4 KiB of it may observe.
    /// </remarks>
    [NumberRange(64 * 1024, IsBytes = true)]
    public partial int NewcomerMemory { get; set; } = 8 * 1024 * 1024;

    /// <summary>The period after its first request within which a second request makes a newcomer a returning peer.</summary>
    [TimeRange(0, Seconds.Hour)]
    public partial TimeSpan NewcomerPeriod { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// The number of bits of an IPv6 address that identify a <see cref="CoapQuotaSource">source</see>; limits have a share per source.
    /// </summary>
    /// <remarks>
    /// A provider assigns 56 bits to one customer. With 64, customers of providers that assign a /64 each, such
    /// as mobile networks, do not share; an attacker with a /56 then has 256 shares. Fewer bits restrict attackers with more addresses.
    /// </remarks>
    [NumberRange(32, 64)]
    public partial int SourcePrefixLength { get; set; } = DefaultSourcePrefixLength;

    /// <summary>
    /// The maximum number of verified peers of one source (<see cref="CoapQuotaSource"/>) that keep their place when others need it.
    /// </summary>
    /// <remarks>
    /// When full: further peers get the same responses as verified ones, but the endpoint may forget them like unverified ones, so no host
    /// can fill the tables with its ports. At most <see cref="MaxCount"/> peers in total keep their place.
    /// </remarks>
    [NumberRange(0, 100_000_000)]
    public partial int MaxVerifiedPerSource { get; set; } = 1000;

    /// <summary>
    /// The maximum number of idle protected peers, such as those of OSCORE, that are remembered behind one address or connection: a proxy
    /// may forward the messages of many.
    /// </summary>
    /// <remarks>
    /// When full: the endpoint forgets idle ones; each returns with its next message, because its security context is kept elsewhere.
    /// </remarks>
    [NumberRange(1, 1_000_000)]
    public partial int MaxProtectedPerAddress { get; set; } = 1024;

    /// <summary>How long an address counts as verified after an Echo.</summary>
    /// <remarks>Large responses after that carry another Echo.</remarks>
    [TimeRange(0, IsMinExcluded = true)]
    public partial TimeSpan VerificationLifetime { get; set; } = TimeSpan.FromHours(1);

    /// <summary>
    /// Address prefixes that get responses of any size without proof that the peer receives there, such as those of a private network in
    /// which addresses cannot be forged (see <see cref="CoapAmplificationLimits.IsLimited"/>).
    /// </summary>
    /// <remarks>Default: loopback, <c>127.0.0.0/8</c> and <c>::1/128</c>.</remarks>
    public IList<IPNetwork> TrustedPrefixes { get; } =
        new SettingList<IPNetwork>(IPNetwork.Parse("127.0.0.0/8"), IPNetwork.Parse("::1/128"));
}
