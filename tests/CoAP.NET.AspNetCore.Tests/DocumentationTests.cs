using System.IO.Pipelines;
using System.Text.RegularExpressions;
using CoAP.NET.Tests.Transports.WebSockets;

namespace CoAP.NET.AspNetCore.Tests;

/// <summary>The snippets of docs/websockets.md, so that they compile and do what the page says.</summary>
public sealed partial class DocumentationTests
{
    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(2);

    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests()
    {
        string tests = Flat(File.ReadAllText(Path.Combine(Repository.Root, "tests", "CoAP.NET.AspNetCore.Tests", "DocumentationTests.cs")));
        MatchCollection snippets = Snippet().Matches(File.ReadAllText(Path.Combine(Repository.Root, "docs", "websockets.md")));
        Assert.Equal(7, snippets.Count);
        Assert.All(snippets, snippet => tests.Mentions(Flat(snippet.Groups["code"].Value)));
    }

    [Fact]
    public async Task A_CoAP_server_is_mapped_to_a_WebSocket_path()
    {
        using X509Certificate2 certificate = Certificates.Make("localhost");
        await using CoapServer coap = new();
        coap.MapGet("/temperature", () => CoapResults.Text("21.5"));

        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        WebApplication web = builder.Build();
        web.MapCoapWebSocket(coap);

        web.MapCoapWebSocket(coap, "/.well-known/coap", options =>
        {
            options.AllowedOrigins.Add("https://app.example.net");
            options.Identity = context => new CoapUserPeerIdentity(context.User);
        }).RequireHost("*.example.net");

        builder = WebApplication.CreateBuilder();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.ListenAnyIP(5683, listen => listen.UseCoap(coap));
            kestrel.ListenAnyIP(5684,
                listen => listen.UseCoapTls(new SslServerAuthenticationOptions { ServerCertificate = certificate }).UseCoap(coap));
        });

        // They are not started: their ports may be somebody else's here.
        await web.DisposeAsync();
        Assert.Empty(coap.LocalEndpoints);
    }

    [Fact]
    public async Task A_hosted_server_is_mapped()
    {
        string[] args = ["--Coap:Server:Endpoints=coap://127.0.0.1:0", "--urls=http://127.0.0.1:0"];
        WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
        builder.Services.AddSingleton<Greenhouse>();
        ICoapServerBuilder coap = builder.Services.AddCoapServer();
        coap.MapGet("/temperature", (Greenhouse house) => house.Celsius).Observable();

        WebApplication web = builder.Build();
        web.MapCoapWebSocket();
        web.MapPut("/temperature", (double celsius, Greenhouse house, CoapServer server) =>
        {
            house.Celsius = celsius;
            server.Notify("/temperature");
        });
        await web.StartAsync();
        Uri address = new(web.Urls.Single());
        await using CoapClient client = new();
        await using CoapObservation observation = await client.ObserveAsync($"coap+ws://{address.Authority}/temperature").WaitAsync(s_hang);
        await using IAsyncEnumerator<CoapResponse> states = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await states.MoveNextAsync().AsTask().WaitAsync(s_hang));
        using HttpClient http = new();
        await http.PutAsync(new Uri(address, "/temperature?celsius=23.5"), null).WaitAsync(s_hang);
        Assert.True(await states.MoveNextAsync().AsTask().WaitAsync(s_hang));
        states.Current.Says("23.5");
        await client.GetAsync(web.Services.GetRequiredService<CoapServer>().LocalEndpoints.Single().Resolve("/temperature"))
            .WaitAsync(s_hang).Says("23.5");
        await web.DisposeAsync();
    }

    [Fact]
    public async Task A_client_connects_with_the_WebSocket_options_of_the_page()
    {
        string token = "secret";
        using CancellationTokenSource stop = new();
        CancellationToken cancellationToken = stop.Token;

        // Nobody is asked: there is no such host, and no name is to be looked up.
        await stop.CancelAsync();
        Assert.True(await Record.ExceptionAsync(() => AskAsync().WaitAsync(s_hang)) is OperationCanceledException or CoapException);

        async Task<CoapResponse> AskAsync()
        {
            CoapEndpointOptions options = new();
            options.Transports.WebSockets.Headers["Authorization"] = "Bearer " + token;
            options.Transports.WebSockets.Proxy = new WebProxy("http://proxy.example.net:3128");
            await using CoapClient client = new(options);
            CoapResponse response = await client.GetAsync("coaps+ws://device.example.net/temperature", cancellationToken);
            return response;
        }
    }

    [Fact]
    public async Task A_page_observes_like_any_other_client()
    {
        using CancellationTokenSource stop = new();
        CancellationToken cancellationToken = stop.Token;
        await stop.CancelAsync();
        Assert.True(await Record.ExceptionAsync(() => ObserveAsync().WaitAsync(s_hang)) is OperationCanceledException or CoapException);

        async Task ObserveAsync()
        {
            await using CoapClient client = new() { BaseAddress = new CoapUri("coaps+ws://device.example.net/") };
            await using CoapObservation observation = await client.ObserveAsync("/temperature", cancellationToken: cancellationToken);
            await foreach (CoapResponse notification in observation.ReadAllAsync(cancellationToken))
            {
                Console.WriteLine(notification.GetText());
            }
        }
    }

    [Fact]
    public async Task A_server_accepts_a_WebSocket_from_the_application()
    {
        Pipe there = new();
        Pipe back = new();
        await using CoapEndpoint endpoint = new();
        IPEndPoint remote = new(IPAddress.Loopback, 1);
        CoapNamedPeerIdentity who = new("me");
        using CancellationTokenSource stop = new();
        CancellationToken stopping = stop.Token;
        using WebSocket webSocket = WebSocket.CreateFromStream(new PipeStream(there.Reader, back.Writer),
            new WebSocketCreationOptions { IsServer = true, SubProtocol = "coap" });
        TaskCompletionSource<CoapPeer> connected = new();
        endpoint.PeerConnected += (_, peer) => connected.TrySetResult(peer);
        Task ended = HaveAsync();
        await there.Writer.WriteAsync(Wire.Hex("82820000000000e1"));
        Assert.Same(who, (await connected.Task.WaitAsync(s_hang)).Identity);
        await there.Writer.CompleteAsync();
        await ended.WaitAsync(s_hang);

        async Task HaveAsync()
        {
            await endpoint.AcceptWebSocketAsync(
                webSocket, new CoapAcceptedConnectionInfo { Remote = remote, IsSecure = true, Identity = who },
                stopping);
        }
    }

    internal sealed class Greenhouse
    {
        public double Celsius { get; set; } = 21.5;
    }

    private static string Flat(string code) => Blank().Replace(code, string.Empty);

    [GeneratedRegex("^```csharp\r?\n(?<code>.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Snippet();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blank();
}
