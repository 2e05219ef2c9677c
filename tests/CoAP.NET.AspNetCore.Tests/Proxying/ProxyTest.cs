namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>A web application with a proxy, and a CoAP server at free ports of the loopback address that it may ask.</summary>
public abstract class ProxyTest : WebTest
{
    protected ProxyTest()
    {
        Coap.Listen("coap://127.0.0.1:0");
        Coap.MapGet("/text", () => "hello");
        Coap.Map("/code/{code}", Enum.GetValues<CoapMethod>(), (CoapRequestContext request) =>
        {
            CoapResult result = new(
                CoapCode.Parse(request.Route["code"]), request.TryGetQuery("text", out string? text) ? Encoding.UTF8.GetBytes(text)
                    : default);
            return request.TryGetQuery("location", out string? location) ? result.WithLocation(location) : result;
        }).AllowAnyAccept();
        Coap.Map("/seen", Enum.GetValues<CoapMethod>(), (CoapRequestContext request) =>
        {
            Seen.Enqueue(request);
            return new CoapResult(request.Method == CoapMethod.Get ? CoapCode.Content : CoapCode.Changed, "seen"u8.ToArray());
        });
    }

    private protected HttpClient Http { get; } = new(new SocketsHttpHandler { AllowAutoRedirect = false }) { Timeout = Hang };

    private protected ConcurrentQueue<CoapRequestContext> Seen { get; } = [];

    private protected string Origin => Coap.LocalEndpoints[0].Origin();

    public override async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await base.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>Starts the CoAP server and the application with a proxy at /hc/ for everybody, that may ask the loopback address.</summary>
    private protected async Task StartProxyAsync(Action<CoapHttpProxyOptions>? configure = null, string pattern = "/hc/{**target}",
        bool allow = true, Action<IServiceCollection>? services = null)
    {
        await Coap.StartAsync();
        await StartAsync(application =>
        {
            application.UseWebSockets();
            application.MapCoapProxy(pattern, proxy =>
            {
                proxy.AllowAnonymous = true;
                if (allow)
                {
                    proxy.Targets.AllowNetwork("127.0.0.0/8:*").AllowNetwork("::1/128:*");
                }

                configure?.Invoke(proxy);
            });
            application.MapCoapProxyDiscovery();
        }, services: services);
        Http.BaseAddress = new Uri($"http://127.0.0.1:{Port}");
    }

    private protected async Task<HttpResponseMessage> SendAsync(
        string method, string uri, HttpContent? content = null, Action<HttpRequestMessage>? change = null)
    {
        using HttpRequestMessage request = new(new HttpMethod(method), new Uri(uri, UriKind.Relative)) { Content = content };
        change?.Invoke(request);
        return await Http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead).WaitAsync(Hang);
    }
}
