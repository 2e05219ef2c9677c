using static System.TimeSpan;
using static CoAP.NET.Hosting.ValueSyntax;

namespace CoAP.NET.Hosting;

/// <summary>The keys of a client's section, except those of parts.</summary>
internal static class ClientKeys
{
    private static readonly ValueSyntax s_number = Number(0, ushort.MaxValue);

    private static readonly ValueSyntax s_format = Text(
        s_number.Allowed, static text => s_number.Parse(text) is long number ? new CoapContentFormat((ushort)number) : null);

    private static readonly KeyTable<CoapWebSocketOptions> s_webSockets = new("Transports:WebSockets:")
    {
        { "Path", Text("path that begins with a slash", static text => text is ['/', ..] ? text : null) },
        "UseProxy",
    };

    public static KeyTable<CoapClientOptions> Table { get; } = new()
    {
        { "BaseAddress", Text("absolute CoAP URI such as coap://device.example/", ParseUri) },
        { "Proxy", Text("absolute CoAP URI without a path such as coap://gateway.example.com", ParseUri) },
        { "Timeout", Time(FromDays(24)).OrInfinite(Timeout.InfiniteTimeSpan) },
        { "Accept", s_format },
        "Confirmable",
        { "Server", Text("name of a server of this application, * for the one without a name", static text => text == "*" ? "" : text) },
        "RequirePrivateKeyFiles",
        "AllowUnknownKeys",
        { s_webSockets, static options => options.Endpoint.Transports.WebSockets },
        { TlsKeys.Table, static options => options.Tls },
        { EndpointKeys.Table, static options => options.Endpoint },
        { "Peers", static (options, item, findings) => PeerSettings.Read(item, options.Peers, findings) },
    };

    private static CoapUri? ParseUri(string text) => CoapUri.TryParse(text, out CoapUri? uri) ? uri : null;
}
