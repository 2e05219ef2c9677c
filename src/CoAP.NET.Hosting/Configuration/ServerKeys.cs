using static CoAP.NET.Hosting.ValueSyntax;

namespace CoAP.NET.Hosting;

/// <summary>The keys of a server's section, except those of parts.</summary>
internal static class ServerKeys
{
    private static readonly KeyTable<CoapTransportOptions> s_transports = new("Transports:")
    {
        { "Shards", Number(1, 64) },
    };

    private static readonly KeyTable<CoapProcessOptions> s_processes = new("Processes:")
    {
        "SharePort",
        "AnswerWhileStopping",
    };

    public static KeyTable<CoapServerOptions> Table { get; } = new()
    {
        { "Endpoints", ListenAddress.Syntax },
        "ListenByDefault",
        { s_transports, static options => options.Endpoint.Transports },
        { s_processes, static options => options.Endpoint.Processes },
        "StopApplicationOnFailure",
        "RequirePrivateKeyFiles",
        "AllowUnknownKeys",
        "JoinGroups",
        { GroupKeys.Table, static options => options.Groups },
        { TlsKeys.Table, static options => options.Tls },
        { TlsKeys.ServerTable, static options => options.Tls },
        { EndpointKeys.Table, static options => options.Endpoint },
        { "Peers", static (options, item, findings) => PeerSettings.Read(item, options.Peers, findings) },
    };
}
