using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace CoAP.NET.AspNetCore.Tests;

/// <summary>A web application on Kestrel at a free port of the loopback address, and a CoAP server behind it.</summary>
public abstract class WebTest : IAsyncDisposable
{
    protected static readonly TimeSpan Hang = FromMinutes(2);

    private CoapServer? _coap;

    protected CoapEndpointOptions Options { get; } = new();

    /// <summary>Made of the options when it is asked for first.</summary>
    private protected CoapServer Coap => _coap ??= new CoapServer(Options);

    private protected WebApplication? Application { get; private set; }

    private protected int Port =>
        new Uri(Application!.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First()
            .Replace("+", "x", Ordinal)).Port;

    public virtual async ValueTask DisposeAsync()
    {
        if (Application is not null)
        {
            await Application.DisposeAsync();
        }

        await Coap.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>Starts the application.</summary>
    /// <param name="map">Maps what it serves; by default the CoAP server at the well-known path.</param>
    /// <param name="listen">What its socket is for; by default HTTP.</param>
    /// <param name="services">What is in its container.</param>
    private protected async Task StartAsync(Action<WebApplication>? map = null, Action<ListenOptions>? listen = null,
        Action<IServiceCollection>? services = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(["--hostBuilder:reloadConfigOnChange=false"]);
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen ?? (_ => { })));
        services?.Invoke(builder.Services);
        Application = builder.Build();
        (map ?? (application => application.MapCoapWebSocket(Coap)))(Application);
        await Application.StartAsync().WaitAsync(Hang);
    }

    private protected static void UseHttps(ListenOptions listen, X509Certificate2 certificate) => listen.UseHttps(certificate);

    /// <summary>A WebSocket of our own, opened.</summary>
    private protected async Task<ClientWebSocket> OpenAsync(string path = "/.well-known/coap", string? subProtocol = "coap",
        Action<ClientWebSocketOptions>? configure = null)
    {
        ClientWebSocket webSocket = new();
        if (subProtocol is not null)
        {
            webSocket.Options.AddSubProtocol(subProtocol);
        }

        webSocket.Options.KeepAliveInterval = TimeSpan.Zero;
        webSocket.Options.CollectHttpResponseDetails = true;
        configure?.Invoke(webSocket.Options);
        try
        {
            await webSocket.ConnectAsync(new Uri($"ws://127.0.0.1:{Port}{path}"), CancellationToken.None).WaitAsync(Hang);
        }
        catch (WebSocketException exception)
        {
            int status = (int)webSocket.HttpStatusCode;
            webSocket.Dispose();
            throw new InvalidOperationException($"{status}", exception);
        }

        return webSocket;
    }

    private protected static Task SendAsync(WebSocket webSocket, string hex) =>
        webSocket.SendAsync(Wire.Hex(hex), WebSocketMessageType.Binary, true, CancellationToken.None).WaitAsync(Hang);

    /// <summary>The next message; <c>close 1000</c> for the end.</summary>
    private protected static async Task<string> ReceiveAsync(WebSocket webSocket)
    {
        byte[] buffer = new byte[64 * 1024];
        int length = 0;
        while (true)
        {
            WebSocketReceiveResult result = await webSocket.ReceiveAsync(new ArraySegment<byte>(buffer, length, buffer.Length - length),
                CancellationToken.None).WaitAsync(Hang);
            if (result.MessageType == WebSocketMessageType.Close)
            {
                return $"close {(int)result.CloseStatus!}";
            }

            length += result.Count;
            if (result.EndOfMessage)
            {
                return Wire.Hex(buffer.AsSpan(0, length));
            }
        }
    }

    /// <summary>The status and the text of a response to raw lines of HTTP.</summary>
    private protected async Task<string> SayAsync(string request)
    {
        using TcpClient client = new();
        await client.ConnectAsync(IPAddress.Loopback, Port).WaitAsync(Hang);
        NetworkStream stream = client.GetStream();
        await stream.WriteAsync(Encoding.ASCII.GetBytes(request.ReplaceLineEndings("\r\n")));
        using StreamReader reader = new(stream);
        return await reader.ReadToEndAsync().WaitAsync(Hang);
    }
}
