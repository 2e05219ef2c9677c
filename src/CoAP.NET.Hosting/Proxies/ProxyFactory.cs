using System.Net;
using CoAP.NET.Dtls;
using CoAP.NET.Http;
using CoAP.NET.Proxy;
using CoAP.NET.Transports;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting;

/// <summary>Creates proxies from their options, and maps the paths that they serve.</summary>
internal static class ProxyFactory
{
    public static CoapProxy Make(IServiceProvider services, ProxyRegistration registration)
    {
        CoapHostedProxyOptions options = OptionsOf(services, registration);
        foreach (string host in options.AllowedHosts)
        {
            options.Proxy.Targets.AllowHost(host);
        }

        foreach (string network in options.AllowedNetworks)
        {
            options.Proxy.Targets.AllowNetwork(network);
        }

        Action<CoapEndpointOptions>? configure = options.Proxy.ConfigureClient;
        options.Proxy.ConfigureClient = endpoint =>
        {
            configure?.Invoke(endpoint);
            ServerFactory.UseHost(endpoint, services);
        };
        CoapProxy proxy = new(options.Proxy);
        return options.ForwardHttp ? proxy.UseHttp(http => Configure(http, options, services)) : proxy;
    }

    /// <summary>Maps the paths of a server's proxies.</summary>
    public static void Map(IServiceProvider services, CoapServer server, CoapEndpointOptions endpoint, string name)
    {
        foreach (ProxyRegistration registration in services.GetServices<ProxyRegistration>().Where(proxy => proxy.Name == name))
        {
            CoapHostedProxyOptions options = OptionsOf(services, registration);
            CoapProxy proxy = services.GetRequiredKeyedService<CoapProxy>(name);
            ServerFactory.Warn(endpoint, options.Findings, []);
            for (int i = 0; i < options.Reverse.Count; i++)
            {
                CoapReverseProxyRoute route = options.Reverse[i];
                Try($"{ProxyKeys.Reverse}:{i}", () => server.MapReverseProxy(route.Path!, route.Target!, proxy));
            }

            for (int i = 0; i < options.HttpBackends.Count; i++)
            {
                CoapHttpBackendRoute route = options.HttpBackends[i];
                Try($"{ProxyKeys.HttpBackends}:{i}", () => server.MapHttpBackend(route.Path!, route.Target!, proxy, http =>
                {
                    http.Translator.Json.Converts = route.ConvertsJson;
                    http.PollInterval = route.PollInterval;
                    Configure(http, options, services);
                }));
            }

            if (options.Forward)
            {
                Try("Forward", () => server.MapForwardProxy(proxy));
            }

            void Try(string key, Action map)
            {
                try
                {
                    map();
                }
                catch (Exception exception) when (exception is ArgumentException or InvalidOperationException or FormatException)
                {
                    throw new OptionsValidationException(
                        name, typeof(CoapHostedProxyOptions), ShownText.OfAll(
                            [$"{registration.SectionPath}:{key} is not a valid path to serve. {exception.Message}"]));
                }
            }
        }
    }

    private static CoapHostedProxyOptions OptionsOf(IServiceProvider services, ProxyRegistration registration) =>
        services.GetRequiredService<IOptionsMonitor<CoapHostedProxyOptions>>().Get(registration.Name);

    private static void Configure(CoapHttpBackendOptions http, CoapHostedProxyOptions options, IServiceProvider services)
    {
        if (services.GetService<TimeProvider>() is { } time)
        {
            http.TimeProvider = time;
        }

        http.IdentityHeader = options.IdentityHeader;
        if (options.IdentityKey is { } text && SecretText.BytesOf(text) is { } key)
        {
            http.IdentityKey = key;
            http.Identity = static request => request.Peer.Id?.ToString();
        }

        options.ConfigureHttp?.Invoke(http, services);
    }
}
