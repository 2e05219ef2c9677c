using System.Diagnostics.CodeAnalysis;
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

    private static readonly ConfigurationSectionReader<CoapPeerStateLimits> s_peers = new("Limits:Peers:", hasAllSettings: true)
    {
        { "TrustedPrefixes", Prefix },
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
        { All<CoapMessageLimits>("Limits:Messages:"), static limits => limits.Messages },
        { All<CoapRequestLimits>("Limits:Requests:"), static limits => limits.Requests },
        { All<CoapBlockwiseLimits>("Limits:Blockwise:"), static limits => limits.Blockwise },
        { All<CoapObserveLimits>("Limits:Observe:"), static limits => limits.Observe },
        { All<CoapConnectionLimits>("Limits:Connections:"), static limits => limits.Connections },
        { All<CoapDeduplicationLimits>("Limits:Deduplication:"), static limits => limits.Deduplication },
        { All<CoapAmplificationLimits>("Limits:Amplification:"), static limits => limits.Amplification },
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
        "StopGracePeriod",
    };

    public static ConfigurationSectionReader<CoapEndpointOptions> Table { get; } = new()
    {
        "TooManyRequests",
        { s_transports, static options => options.Transports },
        { All<CoapStreamOptions>("Transports:Streams:"), static options => options.Transports.Streams },
        { s_processes, static options => options.Processes },
        { s_preset, static options => new LimitPreset(options) },
        { s_limits, static options => options.Limits },

        // Parameters are immutable to others, so a key sets those of a copy.
        { Parameters("Parameters:"), static options => options.Parameters = options.Parameters with { } },
    };

    private static ConfigurationValueSyntax Hour => Time(FromHours(1));

    private static ConfigurationSectionReader<T> All<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] T>(
        string group) => new(group, hasAllSettings: true);

    public static ConfigurationSectionReader<CoapTransmissionParameters> Parameters(string group) => new(group, hasAllSettings: true)
    {
        { "PiggybackWindow", Time(Zero, FromHours(1)) },
        { "PreferredBlockSize", Number(16, 1024) },
        { "NonTimeout", Hour },
        { "NonReceiveTimeout", Hour },
        { "NonPartialTimeout", Hour },
    };

}
