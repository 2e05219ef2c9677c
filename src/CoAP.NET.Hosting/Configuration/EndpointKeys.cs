using System.Net;
using static System.TimeSpan;
using static CoAP.NET.Hosting.ValueSyntax;

namespace CoAP.NET.Hosting;

/// <summary>The keys of <see cref="CoapEndpointOptions"/>, which servers and clients share.</summary>
internal static class EndpointKeys
{
    private static readonly KeyTable<CoapLimits> s_limits = new("Limits:")
    {
        { "ReceiveBufferSize", Bytes(0, int.MaxValue) },
        { "MaxDatagramSize", Bytes(64, 65_535) },
        { "MaxChannels", Number(1, 100_000_000) },
        { "IdlePeerLifetime", Time(FromMinutes(1), FromDays(300)).OrInfinite(Timeout.InfiniteTimeSpan) },
        { "NewcomerBytes", Bytes(64 * 1024, int.MaxValue) },
        { "NewcomerPeriod", Time(Zero, FromHours(1)) },
        { "SourcePrefixLength", Number(32, 64) },
        { "MaxVerifiedPeersPerSource", Number(0, 100_000_000) },
        { "DeduplicationBytes", Bytes(64 * 1024, long.MaxValue) },
        { "UnverifiedDeduplicationShare", Share },
        { "SourceDeduplicationShare", Share },
        { "MaxStoredSafeReply", Bytes(0, 65_535) },
        { "SafeDeduplicationShare", Share },
        { "MaxRequestsServed", Number(1, int.MaxValue) },
        { "MaxOutstandingMessages", Number(1, int.MaxValue) },
        { "BusyMaxAge", Number(0, int.MaxValue) },
        { "MaxTokenLength", Number(8, CoapToken.MaxExtendedLength) },
        { "MaxOptions", Number(1, int.MaxValue) },
        { "MaxBodySize", Bytes(1, 1L << 30) },
        { "MaxAssemblyBytes", Bytes(4096, long.MaxValue) },
        { "PeerAssemblyShare", Share },
        { "MaxRepresentationBytes", Bytes(0, long.MaxValue) },
        { "MaxObservations", Number(0, int.MaxValue) },
        { "MaxProtectedPeers", Number(1, 1_000_000) },
        { "MaxDelayedGroupAnswers", Number(1, 1_000_000) },
        { "MaxGroupRequests", Number(1, 1_000_000) },
        "LimitAmplification",
        { "AmplificationFactor", Number(1, 100) },
        { "AmplificationFreeBytes", Bytes(64, 65_507) },
        { "AmplificationBytesPerMinute", Bytes(0, int.MaxValue) },
        { "AmplificationBytesPerSecond", Bytes(0, int.MaxValue) },
        { "AddressVerificationLifetime", Time(MaxValue) },
        { "TooManyRequestsPerSecond", Number(1, int.MaxValue) },
        { "MaxResponseBodySize", Bytes(0, 1 << 30) },
        { "MaxObservers", Number(0, 100_000_000) },
        { "MaxObserversPerPeer", Number(0, 1_000_000) },
        { "MaxUnacknowledgedNotifications", Number(0, 1_000_000) },
        { "MaxUnverifiedObserversPerSource", Number(0, 100_000_000) },
        { "MaxConnections", Number(0, 100_000_000) },
        { "MaxConnectionsPerAddress", Number(1, 100_000_000) },
        { "MaxHandshakes", Number(1, 100_000_000) },
        { "MaxHandshakesPerAddress", Number(1, 100_000_000) },
        { "MaxStreamMessageSize", Bytes(64, 1 << 30) },
        { "MaxFrameAssemblyBytes", Bytes(4096, long.MaxValue) },
        { "SendQueueBytes", Bytes(1024, 1 << 29) },
        { "MaxSendQueueBytes", Bytes(1024, 1 << 29) },
        { "MaxStreamSendBytes", Bytes(64 * 1024, long.MaxValue) },
        { "StreamSourceShare", Share },
        { "MaxRequestsPerConnection", Number(1, 10_000_000) },
    };

    private static readonly ValueSyntax s_day = Time(FromDays(1));
    private static readonly ValueSyntax s_wait = s_day.OrInfinite(Timeout.InfiniteTimeSpan);

    private static readonly KeyTable<CoapStreamOptions> s_streams = new("Streams:")
    {
        { "ConnectTimeout", s_wait },
        { "HandshakeTimeout", s_wait },
        { "CsmTimeout", s_wait },
        { "FrameTimeout", s_wait },
        { "SendTimeout", s_wait },
        { "KeepAliveInterval", s_wait },
        { "PongTimeout", s_wait },
        { "IdleTimeout", s_wait },
        { "ReleaseTimeout", s_day },
        { "ReconnectDelay", s_day },
        { "MaxReconnectDelay", s_day },
        "RepeatsIdempotentRequests",
    };

    // It has no format: a secret is not shown.
    private static readonly ValueSyntax s_secret = new(SecretText.Allowed,
        static text => SecretText.BytesOf(text) is { } key ? (object)new ReadOnlyMemory<byte>(key) : null, static _ => "");

    public static KeyTable<CoapEndpointOptions> Table { get; } = new()
    {
        "Patience",
        "UdpEngine",
        "TcpEngine",
        { "SharedSecret", s_secret },
        { s_limits, static options => options.Limits },

        // Parameters are immutable to others, so a key sets those of a copy.
        { Parameters("Parameters:"), static options => options.Parameters = options.Parameters with { } },
        { s_streams, static options => options.Streams },
    };

    /// <summary>A range of addresses, such as <c>192.0.2.0/24</c>.</summary>
    public static ValueSyntax Prefix { get; } = Text("a prefix such as 192.0.2.0/24 or 2001:db8::/32",
        static text => IPNetwork.TryParse(text, out IPNetwork network) ? network : null);

    private static ValueSyntax Hour => Time(FromHours(1));

    private static ValueSyntax Share => Factor(0, 1, isAbove: true);

    /// <summary>The keys of <see cref="CoapTransmissionParameters"/>.</summary>
    /// <param name="group">The group of the keys.</param>
    public static KeyTable<CoapTransmissionParameters> Parameters(string group) => new(group)
    {
        { "AckTimeout", Hour },
        { "AckRandomFactor", Factor(1, 10) },
        { "MaxRetransmit", Number(0, 20) },
        "RetransmissionTiming",
        { "NStart", Number(1, ushort.MaxValue) },
        { "MaxQueuedRequests", Number(0, 1_000_000) },
        { "ProbingRate", Factor(0, double.MaxValue, isAbove: true).OrInfinite(double.PositiveInfinity) },
        { "DefaultLeisure", Time(Zero, FromMinutes(10)) },
        { "MaxLatency", Time(FromDays(1)) },
        { "PiggybackWindow", Time(Zero, FromHours(1)) },
        { "PreferredBlockSize", Number(16, 1024) },
        { "MaxMessageSize", Bytes(64, 65_507) },
        { "ExtendedTokenLength", Number(CoapToken.MaxLength + 1, CoapToken.MaxExtendedLength) },
        { "ResponseTimeout", Time(Zero, MaxValue).OrInfinite(Timeout.InfiniteTimeSpan) },
        { "MaxPayloads", Number(1, 1000) },
        { "NonMaxRetransmit", Number(0, 20) },
        { "NonTimeout", Hour },
        { "NonReceiveTimeout", Hour },
        { "NonPartialTimeout", Hour },
    };
}
