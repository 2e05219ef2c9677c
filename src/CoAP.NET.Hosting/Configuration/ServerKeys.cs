using static System.TimeSpan;
using static CoAP.NET.Hosting.ValueSyntax;

namespace CoAP.NET.Hosting;

/// <summary>The keys of a server's section, except those of parts.</summary>
internal static class ServerKeys
{
    private static readonly KeyTable<CoapEndpointOptions> s_endpoint = new()
    {
        { "Shards", Number(1, 64) },
        "SharePort",
        { "StopGracePeriod", Time(Zero, FromDays(24)) },
        "AnswerWhileStopping",
        { "TrustedPrefixes", EndpointKeys.Prefix },
    };

    public static KeyTable<CoapServerOptions> Table { get; } = new()
    {
        { "Endpoints", ListenAddress.Syntax },
        "ListenByDefault",
        { s_endpoint, static options => options.Endpoint },
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
