namespace CoAP.NET.Hosting;

/// <summary>The keys of a client's section, except those of parts.</summary>
internal static class ClientKeys
{
    public static KeyTable<CoapClientOptions> Table { get; } = new KeyTable<CoapClientOptions>()
        .Text("BaseAddress",
            new TextKind<string>("absolute CoAP URI such as coap://device.example/",
                static text => CoapUri.TryParse(text, out _) ? text : null), static options => options.BaseAddress,
            static (options, value) => options.BaseAddress = value)
        .Text("Proxy",
            new TextKind<string>("absolute CoAP URI without a path such as coap://gateway.example.com",
                static text => CoapUri.TryParse(text, out _) ? text : null), static options => options.Proxy,
            static (options, value) => options.Proxy = value)
        .Time("Timeout", new TimeKind(TimeSpan.Zero, TimeSpan.FromDays(24), isInfiniteAllowed: true, isAbove: true),
            static options => options.Timeout, static (options, value) => options.Timeout = value)
        .Number("Accept", 0, ushort.MaxValue, static options => options.Accept?.Value,
            static (options, value) => options.Accept = new CoapContentFormat((ushort)value))
        .Switch("Confirmable", static options => options.Confirmable, static (options, value) => options.Confirmable = value)
        .Text("Server", new TextKind<string>("name of a server of this application, * for the one without a name", static text => text),
            static options => options.Server is "" ? "*" : options.Server,
            static (options, value) => options.Server = value == "*" ? "" : value)
        .Switch("RequirePrivateKeyFiles", static options => options.RequirePrivateKeyFiles,
            static (options, value) => options.RequirePrivateKeyFiles = value)
        .Switch("AllowUnknownKeys", static options => options.AllowUnknownKeys, static (options, value) => options.AllowUnknownKeys = value)
        .Text("WebSockets:Path", new TextKind<string>("path that begins with a slash", static text => text is ['/', ..] ? text : null),
            static options => options.Endpoint.WebSockets.Path, static (options, value) => options.Endpoint.WebSockets.Path = value!)
        .Switch("WebSockets:UseProxy", static options => options.Endpoint.WebSockets.UseProxy,
            static (options, value) => options.Endpoint.WebSockets.UseProxy = value)
        .Include(TlsKeys.Table, static options => options.Tls)
        .Include(EndpointKeys.Table, static options => options.Endpoint)
        .ItemsOf("Peers", static (options, item, findings) => PeerSettings.Read(item, options.Peers, findings));
}
