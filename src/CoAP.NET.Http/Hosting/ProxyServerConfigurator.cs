using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.Proxy;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Http.Hosting;

/// <summary>The proxy of a hosted server, and the paths that it serves.</summary>
internal sealed class ProxyServerConfigurator(IServiceProvider services, ProxyRegistration registration) : HostedServerExtension
{
    private CoapHostedProxyOptions Options => services.OptionsOf<CoapHostedProxyOptions>(registration.Name);

    public CoapProxy Make()
    {
        CoapHostedProxyOptions options = Options;
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
            endpoint.UseHost(services);
        };
        CoapProxy proxy = new(options.Proxy);
        return options.ForwardHttp ? proxy.UseHttp(http => Configure(http, options)) : proxy;
    }

    public override void Map(CoapServer server)
    {
        CoapHostedProxyOptions options = Options;
        CoapProxy proxy = services.GetRequiredKeyedService<CoapProxy>(registration.Name);
        options.MakeReadOnly("a hosted proxy");
        HostedEndpointDefaults.Warn(
            services.GetRequiredKeyedService<IServerSettings>(registration.Name).Endpoint.LoggerFactory, options.Findings, []);
        for (int i = 0; i < options.Routes.Count; i++)
        {
            CoapProxyRoute route = options.Routes[i];
            Try($"{ProxyConfigurationKeys.Routes}:{i}", () =>
            {
                if (!route.IsHttp)
                {
                    server.MapReverseProxy(route.Path!, route.Target!, proxy);
                    return;
                }

                server.MapHttpBackend(route.Path!, route.Target!, proxy, http =>
                {
                    http.Translator.ConvertsJson = route.ConvertsJson;
                    http.PollInterval = route.PollInterval;
                    Configure(http, options);
                });
            });
        }

        if (options.Forward)
        {
            Try("Forward", () => server.MapForwardProxy(proxy));
        }
    }

    private void Try(string key, Action map)
    {
        try
        {
            map();
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException or FormatException
            or CoapFormatException)
        {
            throw new OptionsValidationException(
                registration.Name, typeof(CoapHostedProxyOptions), ConfigurationTextFormatter.OfAll(
                    [$"{registration.SectionPath}:{key} is not a valid path to serve. {exception.Message}"]));
        }
    }

    private void Configure(CoapHttpBackendOptions http, CoapHostedProxyOptions options)
    {
        if (services.GetService<TimeProvider>() is { } time)
        {
            http.TimeProvider = time;
        }

        http.IdentityHeader = options.IdentityHeader;
        if (options.IdentityKey is { } text && ConfigurationSecret.BytesOf(text) is { } key)
        {
            http.IdentityKey = key;
            http.Identity = static request => request.Peer.Id?.ToString();
        }

        options.ConfigureHttp?.Invoke(http, services);
    }
}
