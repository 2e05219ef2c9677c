using static CoAP.NET.Hosting.Configuration.ConfigurationValueSyntax;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>The keys of a server's section, except those of parts.</summary>
internal static class ServerConfigurationKeys
{
    private static readonly ConfigurationSectionReader<CoapTransportOptions> s_transports = new("Transports:")
    {
        { "Shards", Number(1, 64) },
    };

    private static readonly ConfigurationSectionReader<CoapMultiProcessOptions> s_processes = new("Processes:")
    {
        "SharePort",
        "AnswerWhileStopping",
    };

    public static ConfigurationSectionReader<CoapServerOptions> Table { get; } = new()
    {
        { "Endpoints", ListenAddressValidator.Syntax },
        "ListenByDefault",
        { s_transports, static options => options.Endpoint.Transports },
        { s_processes, static options => options.Endpoint.Processes },
        "StopApplicationOnFailure",
        "RequirePrivateKeyFiles",
        "AllowUnknownKeys",
        "JoinGroups",
        { GroupConfigurationKeys.Table, static options => options.Groups },
        { TlsConfigurationKeys.Table, static options => options.Tls },
        { TlsConfigurationKeys.ServerTable, static options => options.Tls },
        { EndpointConfigurationKeys.Table, static options => options.Endpoint },
        { "Peers", static (options, item, findings) => PeerTransmissionSettings.Read(item, options.Peers, findings) },
    };
}
