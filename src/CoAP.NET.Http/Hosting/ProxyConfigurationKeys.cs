using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Resources;
using Microsoft.Extensions.Configuration;
using static System.TimeSpan;
using static CoAP.NET.Hosting.Configuration.ConfigurationValueSyntax;

namespace CoAP.NET.Http.Hosting;

/// <summary>The configuration keys of a hosted proxy.</summary>
internal static class ProxyConfigurationKeys
{
    public const string Routes = "Routes";

    private static readonly ConfigurationValueSyntax s_path = Text(
        "path that begins with a slash", static text => text is ['/', ..] ? text : null);

    private static readonly ConfigurationValueSyntax s_host = Text(
        "host name, *.name, * or IP address, with or without a port",
        static text => Is(() => new Proxy.CoapProxyTargets().AllowHost(text)) ? text : null);

    private static readonly ConfigurationValueSyntax s_network = Text(
        "prefix such as 192.0.2.0/24 or 2001:db8::/32, with or without a port such as :5685 or :*",
        static text => Is(() => new Proxy.CoapProxyTargets().AllowNetwork(text)) ? text : null);

    private static readonly ConfigurationValueSyntax s_uri = Text(
        "absolute CoAP URI such as coap://device.example/", static text => CoapUri.TryParse(text, out _) ? text : null);

    private static readonly ConfigurationValueSyntax s_target = Text(
        "absolute URI of CoAP or HTTP such as coap://device.example/ or https://api.example.com/devices",
        static text => CoapUri.TryParse(text, out CoapUri? coap) && coap.IsCoap
            || Uri.TryCreate(text, UriKind.Absolute, out Uri? uri) && uri.Scheme is "http" or "https" ? text : null);

    private static readonly ConfigurationSectionReader<Proxy.CoapProxyLimits> s_limits = new("Limits:", hasAllSettings: true);

    private static readonly ConfigurationSectionReader<Proxy.CoapProxyOptions> s_proxy = new()
    {
        { "Names", Text("host, with or without a port", static text => Is(() => new CoapProxyNames(text)) ? text : null) },
        { "Identifier", Text("1 to 64 characters without a space") },
        { "NextProxy", Text(s_uri.Allowed, static text => CoapUri.TryParse(text, out CoapUri? uri) ? uri : null) },
        "HopLimit",
        "RewritesHopLimit",
        "Timeout",
        "RequireVerified",
        "AllowSecuredTargetsToAnyone",
        { s_limits, static options => options.Limits },
        "RewritesLinks",
    };

    public static ConfigurationSectionReader<CoapProxyRoute> RouteTable { get; } = new()
    {
        { "Path", s_path },
        { "Target", s_target },
        "ConvertsJson",
        { "PollInterval", Time(FromSeconds(1), FromDays(1)) },
    };

    public static ConfigurationSectionReader<CoapHostedProxyOptions> Table { get; } = new()
    {
        "Forward",
        "ForwardHttp",
        { "AllowedHosts", s_host },
        { "AllowedNetworks", s_network },
        { s_proxy, static options => options.Proxy },
        { "IdentityKey", Text(ConfigurationSecret.Allowed, static text => ConfigurationSecret.BytesOf(text) is null ? null : text) },
        { "IdentityHeader", Text("name of a header field") },
        "AllowUnknownKeys",
        { Routes, static (options, item, findings) => options.Routes.Add(Read(item, findings)) },
    };

    private static CoapProxyRoute Read(IConfigurationSection item, ConfigurationErrors findings)
    {
        CoapProxyRoute route = new();
        RouteTable.Read(item, route, findings);
        return route;
    }

    private static bool Is(Func<object> make)
    {
        try
        {
            _ = make();
            return true;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }
}
