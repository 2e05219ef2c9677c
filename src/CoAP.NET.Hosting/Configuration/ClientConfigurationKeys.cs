using static System.TimeSpan;
using static CoAP.NET.Hosting.Configuration.ConfigurationValueSyntax;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>The keys of a client's section, except those of parts.</summary>
internal static class ClientConfigurationKeys
{
    private static readonly ConfigurationValueSyntax s_number = Number(0, ushort.MaxValue);

    private static readonly ConfigurationValueSyntax s_format = Text(
        s_number.Allowed, static text => s_number.Parse(text) is long number ? new CoapContentFormat((ushort)number) : null);

    private static readonly ConfigurationSectionReader<CoapWebSocketOptions> s_webSockets = new("Transports:WebSockets:")
    {
        { "Path", Text("path that begins with a slash", static text => text is ['/', ..] ? text : null) },
        "UseProxy",
    };

    public static ConfigurationSectionReader<CoapClientOptions> Table { get; } = new()
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
        { TlsConfigurationKeys.Table, static options => options.Tls },
        { EndpointConfigurationKeys.Table, static options => options.Endpoint },
        { "Peers", static (options, item, findings) => PeerTransmissionSettings.Read(item, options.Peers, findings) },
    };

    private static CoapUri? ParseUri(string text) => CoapUri.TryParse(text, out CoapUri? uri) ? uri : null;
}
