using System.Globalization;

namespace CoAP.NET.Diagnostics;

/// <summary>The names of tags, and their values from small sets.</summary>
internal static class TelemetryTags
{
    public const string Method = "coap.request.method";
    public const string Code = "coap.response.code";
    public const string Route = "coap.route";
    public const string Endpoint = "coap.endpoint.name";
    public const string Transport = "network.transport";
    public const string Error = "error.type";
    public const string Scheme = "url.scheme";
    public const string Path = "url.path";
    public const string ServerAddress = "server.address";
    public const string ServerPort = "server.port";
    public const string PeerAddress = "network.peer.address";
    public const string PeerPort = "network.peer.port";
    public const string Retransmissions = "coap.retransmissions";
    public const string Exchanges = "coap.exchanges";
    public const string BodySize = "coap.response.body.size";
    public const string Blocks = "coap.response.blocks";
    public const string Observation = "coap.observe";

    /// <summary>The value for unknown methods, so that a peer cannot create many values.</summary>
    public const string OtherMethod = "_OTHER";

    private static readonly string[] s_methods = [OtherMethod, "GET", "POST", "PUT", "DELETE", "FETCH", "PATCH", "iPATCH"];
    private static readonly string[] s_codes = [
        .. Enumerable.Range(0, 256).Select(code => string.Create(CultureInfo.InvariantCulture, $"{code >> 5}.{code & 31:00}"))];

    public static string MethodOf(byte code) => code < s_methods.Length ? s_methods[code] : OtherMethod;

    /// <summary>Returns class and detail of a response code, such as <c>2.05</c>.</summary>
    public static string CodeOf(byte code) => s_codes[code];

    public static string TransportOf(bool isReliable) => isReliable ? "tcp" : "udp";
}
