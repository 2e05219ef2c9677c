namespace CoAP.NET.Hosting;

/// <summary>The keys of a server's section, except those of parts.</summary>
internal static class ServerKeys
{
    public static KeyTable<CoapServerOptions> Table { get; } = new KeyTable<CoapServerOptions>()
        .List("Endpoints", ListenAddress.Kind, static options => options.Endpoints)
        .Switch("ListenByDefault", static options => options.ListenByDefault, static (options, value) => options.ListenByDefault = value)
        .Number("Shards", 1, 64, static options => options.Endpoint.Shards, static (options, value) => options.Endpoint.Shards = value)
        .Switch("SharePort", static options => options.Endpoint.SharePort, static (options, value) => options.Endpoint.SharePort = value)
        .Time("StopGracePeriod", new TimeKind(TimeSpan.Zero, TimeSpan.FromDays(24)), static options => options.Endpoint.StopGracePeriod,
            static (options, value) => options.Endpoint.StopGracePeriod = value)
        .Switch("AnswerWhileStopping", static options => options.Endpoint.AnswerWhileStopping ?? true,
            static (options, value) => options.Endpoint.AnswerWhileStopping = value)
        .Switch("StopApplicationOnFailure", static options => options.StopApplicationOnFailure,
            static (options, value) => options.StopApplicationOnFailure = value)
        .Switch("RequirePrivateKeyFiles", static options => options.RequirePrivateKeyFiles,
            static (options, value) => options.RequirePrivateKeyFiles = value)
        .Switch("AllowUnknownKeys", static options => options.AllowUnknownKeys, static (options, value) => options.AllowUnknownKeys = value)
        .List("TrustedPrefixes", EndpointKeys.Prefix, static options => options.Endpoint.TrustedPrefixes)
        .Switch("JoinGroups", static options => options.JoinGroups, static (options, value) => options.JoinGroups = value)
        .Include(GroupKeys.Table, static options => options.Groups)
        .Include(TlsKeys.Table, static options => options.Tls)
        .Include(TlsKeys.ServerTable, static options => options.Tls)
        .Include(EndpointKeys.Table, static options => options.Endpoint)
        .ItemsOf("Peers", static (options, item, findings) => PeerSettings.Read(item, options.Peers, findings));
}
