using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting;

/// <summary>The keys of a proxy's section.</summary>
internal static class ProxyKeys
{
    public const string Reverse = "Reverse";
    public const string HttpBackends = "HttpBackends";

    private static readonly TextKind<string> s_path = new("path that begins with a slash", static text => text is ['/', ..] ? text : null);

    private static readonly TextKind<string> s_host = new(
        "host name, *.name, * or IP address, with or without a port",
        static text => Is(() => new Proxy.CoapProxyTargets().AllowHost(text)) ? text : null);

    private static readonly TextKind<string> s_network = new(
        "prefix such as 192.0.2.0/24 or 2001:db8::/32, with or without a port such as :5685 or :*",
        static text => Is(() => new Proxy.CoapProxyTargets().AllowNetwork(text)) ? text : null);

    private static readonly TextKind<string> s_uri = new(
        "absolute CoAP URI such as coap://device.example/", static text => CoapUri.TryParse(text, out _) ? text : null);

    private static readonly TextKind<string> s_web = new(
        "absolute URI of HTTP such as https://api.example.com/devices",
        static text => Uri.TryCreate(text, UriKind.Absolute, out Uri? uri) && uri.Scheme is "http" or "https" ? text : null);

    /// <summary>The keys of an item of <see cref="Reverse"/>.</summary>
    public static KeyTable<CoapReverseProxyRoute> ReverseTable { get; } = new KeyTable<CoapReverseProxyRoute>()
        .Text("Path", s_path, static route => route.Path, static (route, value) => route.Path = value)
        .Text("Target", s_uri, static route => route.Target, static (route, value) => route.Target = value);

    /// <summary>The keys of an item of <see cref="HttpBackends"/>.</summary>
    public static KeyTable<CoapHttpBackendRoute> HttpTable { get; } = new KeyTable<CoapHttpBackendRoute>()
        .Text("Path", s_path, static route => route.Path, static (route, value) => route.Path = value)
        .Text("Target", s_web, static route => route.Target, static (route, value) => route.Target = value)
        .Switch("ConvertsJson", static route => route.ConvertsJson, static (route, value) => route.ConvertsJson = value)
        .Time("PollInterval", new TimeKind(TimeSpan.FromSeconds(1), TimeSpan.FromDays(1)), static route => route.PollInterval,
            static (route, value) => route.PollInterval = value);

    public static KeyTable<CoapHostedProxyOptions> Table { get; } = new KeyTable<CoapHostedProxyOptions>()
        .List("Names", new TextKind<string>(
            "host, with or without a port", static text => Is(() => new CoapProxyNames(text)) ? text : null),
            static options => options.Proxy.Names)
        .Text("Identifier", new TextKind<string>("1 to 64 characters without a space", static text => text),
            static options => options.Proxy.Identifier, static (options, value) => options.Proxy.Identifier = value)
        .Switch("Forward", static options => options.Forward, static (options, value) => options.Forward = value)
        .Switch("ForwardHttp", static options => options.ForwardHttp, static (options, value) => options.ForwardHttp = value)
        .List("AllowedHosts", s_host, static options => options.AllowedHosts)
        .List("AllowedNetworks", s_network, static options => options.AllowedNetworks)
        .Text("NextProxy", s_uri, static options => options.Proxy.NextProxy?.ToString(),
            static (options, value) => options.Proxy.NextProxy = CoapUri.Parse(value))
        .Number("HopLimit", 1, 255, static options => options.Proxy.HopLimit, static (options, value) => options.Proxy.HopLimit = value)
        .Switch("RewritesHopLimit", static options => options.Proxy.RewritesHopLimit,
            static (options, value) => options.Proxy.RewritesHopLimit = value)
        .Time("Timeout", new TimeKind(TimeSpan.Zero, TimeSpan.FromDays(24), isAbove: true), static options => options.Proxy.Timeout,
            static (options, value) => options.Proxy.Timeout = value)
        .Switch("RequireVerified", static options => options.Proxy.RequireVerified,
            static (options, value) => options.Proxy.RequireVerified = value)
        .Switch("AllowSecuredTargetsToAnyone", static options => options.Proxy.AllowSecuredTargetsToAnyone,
            static (options, value) => options.Proxy.AllowSecuredTargetsToAnyone = value)
        .Number("MaxRequests", 1, int.MaxValue, static options => options.Proxy.MaxRequests,
            static (options, value) => options.Proxy.MaxRequests = value)
        .Number("MaxRequestsPerSource", 1, int.MaxValue, static options => options.Proxy.MaxRequestsPerSource,
            static (options, value) => options.Proxy.MaxRequestsPerSource = value)
        .Number("MaxObservations", 1, int.MaxValue, static options => options.Proxy.MaxObservations,
            static (options, value) => options.Proxy.MaxObservations = value)
        .Number("MaxObservationsPerSource", 1, int.MaxValue, static options => options.Proxy.MaxObservationsPerSource,
            static (options, value) => options.Proxy.MaxObservationsPerSource = value)
        .Bytes("MaxBodySize", 1, 1 << 30, static options => options.Proxy.MaxBodySize,
            static (options, value) => options.Proxy.MaxBodySize = (int)value)
        .Bytes("StreamsAbove", 0, int.MaxValue, static options => options.Proxy.StreamsAbove,
            static (options, value) => options.Proxy.StreamsAbove = (int)value)
        .Bytes("MaxStreamedBodySize", 1, long.MaxValue, static options => options.Proxy.MaxStreamedBodySize,
            static (options, value) => options.Proxy.MaxStreamedBodySize = value)
        .Bytes("CacheBytes", 0, long.MaxValue, static options => options.Proxy.CacheBytes,
            static (options, value) => options.Proxy.CacheBytes = value)
        .Switch("RewritesLinks", static options => options.Proxy.RewritesLinks,
            static (options, value) => options.Proxy.RewritesLinks = value)
        .Text("IdentityKey", SecretText.Kind, static options => options.IdentityKey is null ? null : SectionReader.Hidden,
            static (options, value) => options.IdentityKey = value)
        .Text("IdentityHeader", new TextKind<string>("name of a header field", static text => text),
            static options => options.IdentityHeader, static (options, value) => options.IdentityHeader = value)
        .Switch("AllowUnknownKeys", static options => options.AllowUnknownKeys, static (options, value) => options.AllowUnknownKeys = value)
        .ItemsOf(Reverse, static (options, item, findings) => options.Reverse.Add(Read(item, ReverseTable, findings)))
        .ItemsOf(HttpBackends, static (options, item, findings) => options.HttpBackends.Add(Read(item, HttpTable, findings)));

    private static TRoute Read<TRoute>(IConfigurationSection item, KeyTable<TRoute> table, ConfigurationFindings findings)
        where TRoute : new()
    {
        TRoute route = new();
        SectionReader.Read(item, table, route, findings);
        return route;
    }

    private static bool Is(Func<object> make)
    {
        try
        {
            _ = make();
            return true;
        }
        catch (Exception exception) when (exception is ArgumentException or FormatException)
        {
            return false;
        }
    }
}
