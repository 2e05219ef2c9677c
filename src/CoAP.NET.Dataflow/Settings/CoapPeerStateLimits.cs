using System.Net;

namespace CoAP.NET;

/// <summary>The limits of what an endpoint remembers about peers, and what belongs to one source.</summary>
/// <remarks>The group <see cref="CoapLimits.Peers"/>. Mutable; the endpoint copies it when it is created.</remarks>
public sealed class CoapPeerStateLimits
{
    internal CoapPeerStateLimits()
    {
    }

    internal const int DefaultSourcePrefixLength = 56;

    /// <summary>The maximum number of remembered peers with more than one exchange.</summary>
    /// <remarks>
    /// Default 100,000. When full: the endpoint forgets the peer that was idle longest and has no state younger than its lifetime.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxCount { get; set => field = ValueGuard.InRange(value, 1, 100_000_000); } = 100_000;

    /// <summary>How long the endpoint remembers a silent peer.</summary>
    /// <remarks>
    /// Default 1 day; 1 minute to 300 days, or <see cref="Timeout.InfiniteTimeSpan"/> to remember it while there is room
    /// (<see cref="MaxCount"/>). It does not forget a peer with a running request, transfer or observation, with state younger than its
    /// lifetime, or with an address that is still verified.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan IdleLifetime
    {
        get; set =>
        field = (value >= TimeSpan.FromMinutes(1) && value <= TimeSpan.FromDays(300)) || value == Timeout.InfiniteTimeSpan
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "The lifetime must be 1 minute to 300 days, or infinite.");
    } =
    TimeSpan.FromDays(1);

    /// <summary>Memory for newcomers, the peers with only one exchange so far, in bytes, including their deduplication.</summary>
    /// <remarks>
    /// Default 8 MiB. When full: newcomers replace newcomers, and no other peers. In addition, their unfinished bodies and their block-wise
    /// responses may each take a quarter of this size, and one newcomer per 4 KiB of it may observe.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int NewcomerMemory { get; set => field = ValueGuard.InRange(value, 64 * 1024, int.MaxValue); } = 8 * 1024 * 1024;

    /// <summary>The period after its first request within which a second request makes a newcomer a returning peer.</summary>
    /// <remarks>Default 2 s; 0 to 1 h.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan NewcomerPeriod
    {
        get; set =>
        field = value >= TimeSpan.Zero && value <= TimeSpan.FromHours(1)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "The period must be 0 to 1 h.");
    } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// The number of bits of an IPv6 address that identify a <see cref="CoapQuotaSource">source</see>; limits have a share per source.
    /// </summary>
    /// <remarks>
    /// Default 56, the size that a provider assigns to one customer; 32 to 64. With 64, customers of providers that assign a /64 each, such
    /// as mobile networks, do not share; an attacker with a /56 then has 256 shares. Fewer bits restrict attackers with more addresses.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int SourcePrefixLength { get; set => field = ValueGuard.InRange(value, 32, 64); } = DefaultSourcePrefixLength;

    /// <summary>
    /// The maximum number of verified peers of one source (<see cref="CoapQuotaSource"/>) that keep their place when others need it.
    /// </summary>
    /// <remarks>
    /// Default 1,000; 0 to 100,000,000. When full: further peers get the same responses as verified ones, but the endpoint may forget them
    /// like unverified ones, so no host can fill the tables with its ports. At most <see cref="MaxCount"/> peers in total keep their
    /// place.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxVerifiedPerSource { get; set => field = ValueGuard.InRange(value, 0, 100_000_000); } = 1000;

    /// <summary>
    /// The maximum number of idle protected peers, such as those of OSCORE, that are remembered behind one address or connection: a proxy
    /// may forward the messages of many.
    /// </summary>
    /// <remarks>
    /// Default 1,024. When full: the endpoint forgets idle ones; each returns with its next message, because its security context is kept
    /// elsewhere.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxProtectedPerAddress { get; set => field = ValueGuard.InRange(value, 1, 1_000_000); } = 1024;

    /// <summary>How long an address counts as verified after an Echo.</summary>
    /// <remarks>Default 1 h; above 0. Large responses after that carry another Echo.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan VerificationLifetime
    {
        get; set =>
        field = value > TimeSpan.Zero
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "The lifetime must be above zero.");
    } = TimeSpan.FromHours(1);

    /// <summary>
    /// Address prefixes that get responses of any size without proof that the peer receives there, such as those of a private network in
    /// which addresses cannot be forged (see <see cref="CoapAmplificationLimits.IsLimited"/>).
    /// </summary>
    /// <remarks>Default: loopback, <c>127.0.0.0/8</c> and <c>::1/128</c>.</remarks>
    public IList<IPNetwork> TrustedPrefixes { get; private set; } = [IPNetwork.Parse("127.0.0.0/8"), IPNetwork.Parse("::1/128")];

    internal CoapPeerStateLimits Clone()
    {
        CoapPeerStateLimits copy = (CoapPeerStateLimits)MemberwiseClone();
        copy.TrustedPrefixes = [.. TrustedPrefixes];
        return copy;
    }
}
