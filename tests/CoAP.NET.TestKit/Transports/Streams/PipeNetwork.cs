using System.IO.Pipelines;
using System.Threading.Channels;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>Pipes in memory between one server and its clients.</summary>
internal sealed class PipeNetwork : IDisposable
{
    /// <summary>A resource of the server.</summary>
    public const string Uri = "coap+tcp://[fd00::1]/temperature";

    private readonly Channel<CoapDuplexPipe> _waiting = Channel.CreateUnbounded<CoapDuplexPipe>();
    private readonly List<PipeWriter> _ends = [];
    private int _connected;

    public int AcceptFailures { get; set; }

    public int Connected => Volatile.Read(ref _connected);

    public async Task<CoapServer> ServeAsync(CoapEndpointOptions? options = null)
    {
        CoapServer server = new(options ?? new CoapEndpointOptions());
        server.Endpoint.AddTransport(new CoapDuplexPipeTransport(new CoapDuplexPipeTransportOptions { Accept = AcceptAsync }));
        server.MapGet("/temperature", () => CoapResults.Text("21.5"));
        await server.StartAsync();
        return server;
    }

    public CoapClient NewClient()
    {
        CoapClient client = new();
        client.Endpoint.AddTransport(new CoapDuplexPipeTransport(new CoapDuplexPipeTransportOptions { Connect = ConnectAsync }));
        return client;
    }

    /// <summary>A server that is connected as a client.</summary>
    public async Task<CoapServer> ConnectAsync(string name)
    {
        CoapServer device = new();
        device.Endpoint.AddTransport(new CoapDuplexPipeTransport(new CoapDuplexPipeTransportOptions { Connect = ConnectAsync }));
        device.MapGet("/name", () => CoapResults.Text(name).WithMaxAge(FromHours(1)));
        await device.StartAsync();
        await using CoapClient client = new(device.Endpoint);
        await client.GetAsync(Uri);
        return device;
    }

    /// <summary>Has the server's side of the first connection end.</summary>
    public async Task EndFirstAsync() => await _ends[0].CompleteAsync();

    public void Dispose() => _waiting.Writer.TryComplete();

    private async ValueTask<CoapDuplexPipe> AcceptAsync(CancellationToken cancellationToken)
    {
        if (AcceptFailures > 0)
        {
            AcceptFailures--;
            throw new IOException("No handle is free.");
        }

        return await _waiting.Reader.ReadAsync(cancellationToken);
    }

    private ValueTask<CoapDuplexPipe> ConnectAsync(CoapAddress remote, CancellationToken cancellationToken)
    {
        Pipe there = new();
        Pipe back = new();
        _ends.Add(back.Writer);
        Interlocked.Increment(ref _connected);
        _waiting.Writer.TryWrite(new CoapDuplexPipe(there.Reader, back.Writer));
        return ValueTask.FromResult(new CoapDuplexPipe(back.Reader, there.Writer));
    }
}
