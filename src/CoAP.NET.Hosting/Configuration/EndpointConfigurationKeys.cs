using System.Net;
using CoAP.NET.Execution;
using static System.TimeSpan;
using static CoAP.NET.Hosting.Configuration.ConfigurationValueSyntax;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>The keys of <see cref="CoapEndpointOptions"/>, which servers and clients share.</summary>
internal static class EndpointConfigurationKeys
{
    /// <summary>A range of addresses, such as <c>192.0.2.0/24</c>.</summary>
    public static ConfigurationValueSyntax Prefix { get; } = Text("a prefix such as 192.0.2.0/24 or 2001:db8::/32",
        static text => IPNetwork.TryParse(text, out IPNetwork network) ? network : null);

    private static readonly ConfigurationSectionReader<CoapPeerStateLimits> s_peers = new("Limits:Peers:")
    {
        { "MaxCount", Number(1, 100_000_000) },
        { "IdleLifetime", Time(FromMinutes(1), FromDays(300)).OrInfinite(Timeout.InfiniteTimeSpan) },
        { "NewcomerMemory", Bytes(64 * 1024, int.MaxValue) },
        { "NewcomerPeriod", Time(Zero, FromHours(1)) },
        { "SourcePrefixLength", Number(32, 64) },
        { "MaxVerifiedPerSource", Number(0, 100_000_000) },
        { "MaxProtectedPerAddress", Number(1, 1_000_000) },
        { "VerificationLifetime", Time(MaxValue) },
        { "TrustedPrefixes", Prefix },
    };

    private static readonly ConfigurationSectionReader<CoapMessageLimits> s_messages = new("Limits:Messages:")
    {
        { "ReceiveBufferSize", Bytes(0, int.MaxValue) },
        { "MaxDatagramSize", Bytes(64, 65_535) },
        { "MaxTokenLength", Number(8, CoapToken.MaxExtendedLength) },
        { "MaxOutstanding", Number(1, int.MaxValue) },
    };

    private static readonly ConfigurationSectionReader<CoapRequestLimits> s_requests = new("Limits:Requests:")
    {
        { "MaxServed", Number(1, int.MaxValue) },
        { "BusyMaxAge", Number(0, int.MaxValue) },
        { "TooManyRequestsPerSecond", Number(1, int.MaxValue) },
        { "MaxDelayedGroupResponses", Number(1, 1_000_000) },
        { "MaxGroupRequests", Number(1, 1_000_000) },
    };

    private static readonly ConfigurationSectionReader<CoapBlockwiseLimits> s_blockwise = new("Limits:Blockwise:")
    {
        { "MaxRequestBodySize", Bytes(1, 1L << 30) },
        { "MaxResponseBodySize", Bytes(0, 1 << 30) },
        { "RequestMemory", Bytes(4096, long.MaxValue) },
        { "ResponseMemory", Bytes(0, long.MaxValue) },
        { "MaxSourceFraction", Fraction },
    };

    private static readonly ConfigurationSectionReader<CoapObserveLimits> s_observe = new("Limits:Observe:")
    {
        { "MaxObservations", Number(0, int.MaxValue) },
        { "MaxObservers", Number(0, 100_000_000) },
        { "MaxObserversPerPeer", Number(0, 1_000_000) },
        { "MaxUnverifiedObserversPerSource", Number(0, 100_000_000) },
        { "MaxUnacknowledgedNotifications", Number(0, 1_000_000) },
    };

    private static readonly ConfigurationSectionReader<CoapConnectionLimits> s_connections = new("Limits:Connections:")
    {
        { "MaxCount", Number(0, 100_000_000) },
        { "MaxCountPerSource", Number(1, 100_000_000) },
        { "MaxHandshakes", Number(1, 100_000_000) },
        { "MaxHandshakesPerSource", Number(1, 100_000_000) },
        { "MaxMessageSize", Bytes(64, 1 << 30) },
        { "ReceiveMemory", Bytes(4096, long.MaxValue) },
        { "SendQueueSize", Bytes(1024, 1 << 29) },
        { "MaxSendQueueSize", Bytes(1024, 1 << 29) },
        { "SendMemory", Bytes(64 * 1024, long.MaxValue) },
        { "MaxSourceFraction", Fraction },
        { "MaxRequests", Number(1, 10_000_000) },
    };

    private static readonly ConfigurationSectionReader<CoapDeduplicationLimits> s_deduplication = new("Limits:Deduplication:")
    {
        { "Memory", Bytes(64 * 1024, long.MaxValue) },
        { "MaxUnverifiedFraction", Fraction },
        { "MaxSourceFraction", Fraction },
        { "MaxSafeFraction", Fraction },
        { "MaxSafeReplySize", Bytes(0, 65_535) },
    };

    private static readonly ConfigurationSectionReader<CoapAmplificationLimits> s_amplification = new("Limits:Amplification:")
    {
        "IsLimited",
        { "SourceBytesPerMinute", Bytes(0, int.MaxValue) },
        { "TotalBytesPerSecond", Bytes(0, int.MaxValue) },
    };

    private static readonly ConfigurationSectionReader<LimitPreset> s_preset = new("Limits:")
    {
        {
            "Preset", Text("Default, Small or Gateway", static text => text.ToUpperInvariant() switch
            {
                "DEFAULT" => CoapLimits.Default,
                "SMALL" => CoapLimits.Small,
                "GATEWAY" => CoapLimits.Gateway,
                _ => null,
            })
        },
    };

    private static readonly ConfigurationSectionReader<CoapLimits> s_limits = new()
    {
        { s_peers, static limits => limits.Peers },
        { s_messages, static limits => limits.Messages },
        { s_requests, static limits => limits.Requests },
        { s_blockwise, static limits => limits.Blockwise },
        { s_observe, static limits => limits.Observe },
        { s_connections, static limits => limits.Connections },
        { s_deduplication, static limits => limits.Deduplication },
        { s_amplification, static limits => limits.Amplification },
    };

    private static readonly ConfigurationValueSyntax s_day = Time(FromDays(1));
    private static readonly ConfigurationValueSyntax s_wait = s_day.OrInfinite(Timeout.InfiniteTimeSpan);

    private static readonly ConfigurationSectionReader<CoapStreamOptions> s_streams = new("Transports:Streams:")
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
    private static readonly ConfigurationValueSyntax s_secret = new(ConfigurationSecret.Allowed,
        static text => ConfigurationSecret.BytesOf(text) is { } key ? (object)new ReadOnlyMemory<byte>(key) : null, static _ => "");

    private static readonly ConfigurationSectionReader<CoapTransportOptions> s_transports = new("Transports:")
    {
        "UdpEngine",
        "TcpEngine",
    };

    private static readonly ConfigurationSectionReader<CoapMultiProcessOptions> s_processes = new("Processes:")
    {
        { "SharedSecret", s_secret },
        { "StopGracePeriod", Time(Zero, FromDays(24)) },
    };

    public static ConfigurationSectionReader<CoapEndpointOptions> Table { get; } = new()
    {
        "TooManyRequests",
        { s_transports, static options => options.Transports },
        { s_streams, static options => options.Transports.Streams },
        { s_processes, static options => options.Processes },
        { s_preset, static options => new LimitPreset(options) },
        { s_limits, static options => options.Limits },

        // Parameters are immutable to others, so a key sets those of a copy.
        { Parameters("Parameters:"), static options => options.Parameters = options.Parameters with { } },
    };

    private static ConfigurationValueSyntax Hour => Time(FromHours(1));

    private static ConfigurationValueSyntax Fraction => Factor(0, 1, isAbove: true);

    public static ConfigurationSectionReader<CoapTransmissionParameters> Parameters(string group) => new(group)
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
