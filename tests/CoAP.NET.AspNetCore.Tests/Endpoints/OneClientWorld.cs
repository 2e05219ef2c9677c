using System.Net.Http.Headers;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text.Json;
using CoAP.NET.Oscore;
using CoAP.NET.Proxy;

namespace CoAP.NET.AspNetCore.Tests.Endpoints;

/// <summary>
/// A server whose every handler answers with a secret of the client that asks, and two clients on each transport. A client logs in, so that
/// the server knows it by its peer on transports without identities too.
/// </summary>
/// <remarks>Real clock: Kestrel serves WebSockets and Unix sockets. Polls of back ends are in virtual time.</remarks>
public sealed class OneClientWorld : IAsyncLifetime
{
    public static readonly string[] Transports =
        ["UDP", "TLS without certificate", "DTLS PSK", "DTLS, one PSK for both", "OSCORE", "EDHOC", "WebSocket", "Unix socket"];

    public static readonly string[] Handlers = ["peer", "policy", "backend", "reverse", "endpoint", "cache"];

    private static readonly TimeSpan s_hang = FromMinutes(2);
    private static readonly byte[] s_key = [.. Enumerable.Range(0, 32).Select(static i => (byte)i)];

    private readonly InMemoryNetwork _network = new(TimeProvider.System);
    private readonly ConditionalWeakTable<CoapPeer, string> _names = [];
    private readonly ConcurrentDictionary<string, int> _numbers = [];
    private readonly Dictionary<string, (CoapClient Client, string Uri)> _clients = [];
    private readonly string _socket = Path.Combine(Path.GetTempPath(), $"coap-{Guid.NewGuid():N}");
    private readonly OscoreContexts _contexts = new();
    private CoapProxy _proxy = null!;
    private HttpClient _backend = null!;
    private WebApplication _application = null!;

    /// <summary>The time of polls.</summary>
    internal VirtualClock Clock { get; } = new();

    private CoapServer Server => _application.Services.GetRequiredService<CoapServer>();

    public async ValueTask InitializeAsync()
    {
        foreach (string who in (string[])["alice", "bob"])
        {
            _contexts.Add(Context("OSCORE", who, isServer: true)).Add(Context("EDHOC", who, isServer: true, owner: who));
        }

        _backend = new HttpClient(new BackEnd(this));
        _proxy = new CoapProxy(new CoapProxyOptions { RequireVerified = false, ConfigureClient = options => options.TimeProvider = Clock })
            .UseHttp(options => Configure(options, cacheBytes: 0));
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(["--hostBuilder:reloadConfigOnChange=false"]);
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.Listen(IPAddress.Loopback, 0);
            kestrel.ListenUnixSocket(_socket, static listen => listen.UseCoap());
        });
        builder.Services.AddCoapServer(options =>
        {
            options.Transports.Add(_ => _network.CreateTransport(InMemoryNetwork.Address("[2001:db8::1]:5683")));
            options.Transports.Add(_ => _network.CreateTransport("coaps", InMemoryNetwork.Address("[2001:db8::1]:5684")));
            options.Transports.Add(_ => _network.CreateTransport("coaps+tcp", InMemoryNetwork.Address("[2001:db8::1]:5685")));
            options.Endpoint.UseOscore(_contexts);
        });
        _application = builder.Build();
        _application.UseWebSockets();
        _application.MapCoapWebSocket();
        _application.MapCoap(options => options.Identity = request => new ClaimsPrincipal(
            new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, NameOf(request.Peer))], "login")));
        MapEndpoint(_application);
        Map(Server);
        await _application.StartAsync().WaitAsync(s_hang);
        foreach (string transport in Transports)
        {
            await LogInAsync(transport, "alice");
            await LogInAsync(transport, "bob");
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach ((CoapClient client, _) in _clients.Values)
        {
            await client.DisposeAsync();
        }

        await _application.DisposeAsync();
        await _proxy.DisposeAsync();
        _backend.Dispose();
        File.Delete(_socket);
    }

    /// <summary>Asks as a client.</summary>
    internal Task<CoapResponse> AskAsync(string transport, string who, CoapMethod method, string path, CoapETag? tag = null)
    {
        (CoapClient client, string uri) = _clients[$"{transport} {who}"];
        CoapRequest request = Request(method, uri + path);
        request.Options.ETag = tag;
        return client.SendAsync(request).WaitAsync(s_hang);
    }

    /// <summary>Observes as a client, and passes on each text that it gets.</summary>
    internal Task<CoapObservation> ObserveAsync(string transport, string who, CoapMethod method, string path, Action<string> heard)
    {
        (CoapClient client, string uri) = _clients[$"{transport} {who}"];
        return client.ObserveAsync(Request(method, uri + path), response => heard($"{response.Code} {response.GetText()}"))
            .WaitAsync(s_hang);
    }

    /// <summary>Changes the secret of a client at a path, and has the server notice.</summary>
    /// <returns>The secret.</returns>
    internal string Change(string who, string path)
    {
        _numbers.AddOrUpdate($"{who} {path}", 1, static (_, number) => number + 1);
        if (IsPolled(path))
        {
            Clock.Advance(FromSeconds(3));
        }
        else
        {
            Server.Notify(path);
        }

        return SecretOf(who, path);
    }

    /// <summary>What a client may read at a path; of several blocks where the path says so.</summary>
    internal string SecretOf(string who, string path)
    {
        string secret = $"secret of {who} {_numbers.GetValueOrDefault($"{who} {path}")}.";
        return path.Contains("block-wise", Ordinal) ? string.Concat(Enumerable.Repeat(secret, 200)) : secret;
    }

    private static CoapRequest Request(CoapMethod method, string uri)
    {
        CoapRequest request = new(method, uri);
        if (method == CoapMethod.Fetch)
        {
            request.Content = CoapContent.Text("which");
        }

        return request;
    }

    private static bool IsPolled(string path) => path.Split('/')[1] is "backend" or "reverse" or "cache";

    private string NameOf(CoapPeer peer) => _names.TryGetValue(peer, out string? name) ? name : "nobody";

    private void Map(CoapServer server)
    {
        server.Routes.AllowInsecureTransport();
        server.MapPost("/login", request =>
        {
            _names.AddOrUpdate(request.Peer, Encoding.UTF8.GetString(request.Payload.Span));
            return CoapResults.Changed();
        });
        server.Map("/peer/{*cell}", [CoapMethod.Get, CoapMethod.Fetch], AnswerOf).Observable();

        // That the state is the same for all has no effect on what depends on the client.
        server.Map("/policy/{*cell}", [CoapMethod.Get, CoapMethod.Fetch], AnswerOf).Observable(observe => observe.SameForAll = true)
            .RequireAuthorization(policy => policy.Require(context => NameOf(context.Request.Peer) != "nobody"));
        server.MapHttpBackend("/backend/{*cell}", "http://backend/backend", _proxy, options => Configure(options, cacheBytes: 0))
            .Observable(observe => observe.SameForAll = true);
        server.MapReverseProxy("/reverse/{*cell}", "http://backend/reverse", _proxy)
            .Observable(observe => observe.SameForAll = true);
        server.MapHttpBackend("/cache/{*cell}", "http://backend/cache", _proxy, options => Configure(options, cacheBytes: 1 << 20))
            .Observable(observe => observe.SameForAll = true);
    }

    private CoapResult AnswerOf(CoapRequestContext request)
    {
        string secret = SecretOf(NameOf(request.Peer), request.Path);
        return CoapResults.ValidOr(request, CoapETag.FromContent(Encoding.UTF8.GetBytes(secret)), () => CoapResults.Text(secret));
    }

    private void MapEndpoint(WebApplication application) => application
        .MapMethods("/endpoint/{**cell}", ["GET", "QUERY"], (HttpContext context) =>
        {
            string secret = SecretOf(context.User.FindFirstValue(ClaimTypes.NameIdentifier)!, Uri.UnescapeDataString(context.Request.Path));
            string tag = TagOf(secret);
            context.Response.Headers.ETag = tag;
            return context.Request.Headers.IfNoneMatch.Contains(tag) ? Results.StatusCode(304) : Results.Text(secret);
        })
        .WithCoap(route => route.Observable(observe => observe.SameForAll = true).AllowInsecureTransport());

    private void Configure(CoapHttpBackendOptions options, long cacheBytes)
    {
        options.Identity = request => NameOf(request.Peer);
        options.IdentityKey = s_key;
        options.Client = () => _backend;
        options.PollInterval = FromSeconds(1);
        options.TimeProvider = Clock;
        options.CacheBytes = cacheBytes;
    }

    private async Task LogInAsync(string transport, string who)
    {
        CoapEndpointOptions options = new();
        if (transport is "OSCORE" or "EDHOC")
        {
            options.UseOscore(new OscoreContexts().Add("coap://[2001:db8::1]", Context(transport, who, isServer: false)));
        }

        CoapClient client = new(options);
        CoapAddress local = InMemoryNetwork.Address($"[2001:db8:0:1::{_clients.Count + 1}]:0");
        CoapTransport? own = transport switch
        {
            "UDP" or "OSCORE" or "EDHOC" => _network.CreateTransport(local),
            "TLS without certificate" => _network.CreateTransport("coaps+tcp", local),
            "DTLS PSK" => _network.CreateTransport("coaps", local, CoapTestIdentity.Psk(who)),
            "DTLS, one PSK for both" => _network.CreateTransport("coaps", local, CoapTestIdentity.Psk("fleet")),
            "Unix socket" => new CoapDuplexPipeTransport(
                new CoapDuplexPipeTransportOptions { Connect = (_, token) => ConnectAsync(token) }),
            _ => null,
        };
        if (own is not null)
        {
            client.Endpoint.AddTransport(own);
        }

        string uri = transport switch
        {
            "UDP" or "OSCORE" or "EDHOC" => "coap://[2001:db8::1]",
            "TLS without certificate" => "coaps+tcp://[2001:db8::1]:5685",
            "Unix socket" => "coap+tcp://[fd00::1]",
            "WebSocket" => _application.Urls.First(static url => url.StartsWith("http:", Ordinal) && !url.Contains("unix", Ordinal))
                .Replace("http:", "coap+ws:", Ordinal),
            _ => "coaps://[2001:db8::1]",
        };
        _clients.Add($"{transport} {who}", (client, uri));
        CoapResponse response = await client.PostAsync($"{uri}/login", CoapContent.Text(who)).WaitAsync(s_hang);
        response.Gives(CoapCode.Changed);
    }

    private async ValueTask<CoapDuplexPipe> ConnectAsync(CancellationToken cancellationToken)
    {
        Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(_socket), cancellationToken);
        return CoapDuplexPipe.FromStream(new NetworkStream(socket, ownsSocket: true));
    }

    // What a key exchange leaves at the server is a context with the name of its credential.
    private static OscoreContext Context(string transport, string who, bool isServer, object? owner = null)
    {
        byte[] client = [(byte)(transport == "EDHOC" ? 2 : 1), (byte)who[0]];
        byte[] secret = SHA256.HashData(client)[..16];
        return OscoreContext.CreateVolatile(
            isServer ? new OscoreParameters(secret, [9], client) : new OscoreParameters(secret, client, [9]), owner);
    }

    private static string TagOf(string secret) =>
        $"\"{Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(secret)).AsSpan(0, 4))}\"";

    /// <summary>The server behind the proxies: it answers the device that the token names.</summary>
    private sealed class BackEnd(OneClientWorld world) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            string path = Uri.UnescapeDataString(request.RequestUri!.AbsolutePath);
            string claims = request.Headers.Authorization!.Parameter!.Split('.')[1];
            using JsonDocument token = JsonDocument.Parse(System.Buffers.Text.Base64Url.DecodeFromChars(claims));
            string secret = world.SecretOf(token.RootElement.GetProperty("sub").GetString()!, path);
            string tag = TagOf(secret);
            bool isValid = request.Headers.IfNoneMatch.Any(known => known.Tag == tag);
            HttpResponseMessage response = new(isValid ? HttpStatusCode.NotModified : HttpStatusCode.OK)
            {
                Content = new StringContent(isValid ? "" : secret), Headers = { ETag = new EntityTagHeaderValue(tag) },
            };
            if (path.StartsWith("/cache/", Ordinal))
            {
                response.Headers.CacheControl = new CacheControlHeaderValue { MaxAge = FromSeconds(2) };
            }

            return Task.FromResult(response);
        }
    }
}
