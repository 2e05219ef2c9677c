using System.IO.Pipelines;
using System.IO.Pipes;
using System.Threading.Channels;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>CoAP over byte streams that the caller opens and accepts (RFC 8323 section 3.2): the public transport of pipes.</summary>
public sealed class DuplexPipeTransportTests
{
    private const string Uri = PipeNetwork.Uri;

    [Fact]
    public async Task A_client_and_a_server_talk_over_a_named_pipe()
    {
        string name = $"coap-{Guid.NewGuid():N}";
        await using CoapServer server = new();
        server.Endpoint.AddTransport(new CoapDuplexPipeTransport(new CoapDuplexPipeTransportOptions
        {
            Accept = async cancellationToken =>
            {
                NamedPipeServerStream pipe = new(name, PipeDirection.InOut, 10, PipeTransmissionMode.Byte,
                    System.IO.Pipes.PipeOptions.Asynchronous);
                await pipe.WaitForConnectionAsync(cancellationToken);
                return CoapDuplexPipe.FromStream(pipe, identity: new CoapNamedPeerIdentity("the gateway"));
            },
        }));
        server.MapGet("/temperature", request => CoapResults.Text($"21.5 for {request.Peer.Identity}"));
        server.MapPost("/large", request => CoapResults.Text($"{request.Payload.Length}"));
        await server.StartAsync();
        await using CoapClient client = new();
        client.Endpoint.AddTransport(new CoapDuplexPipeTransport(new CoapDuplexPipeTransportOptions
        {
            Connect = async (_, cancellationToken) =>
            {
                NamedPipeClientStream pipe = new(".", name, PipeDirection.InOut, System.IO.Pipes.PipeOptions.Asynchronous);
                await pipe.ConnectAsync(cancellationToken);
                return CoapDuplexPipe.FromStream(pipe);
            },
        }));

        CoapResponse response = await client.GetAsync("coap+tcp://[fd00::1]/temperature");
        CoapResponse large = await client.PostAsync("coap+tcp://[fd00::1]/large", CoapContent.Binary(new byte[300_000]));

        response.Says("21.5 for the gateway");
        large.Says("300000");
    }

    [Fact]
    public async Task The_next_request_opens_a_new_connection_when_the_peer_ended_the_first()
    {
        using PipeNetwork network = new();
        await using CoapServer server = await network.ServeAsync();
        await using CoapClient client = network.NewClient();

        await client.GetAsync(Uri);
        await network.EndFirstAsync();
        CoapResponse response = await client.GetAsync(Uri);

        response.Says("21.5");
        Assert.Equal(2, network.Connected);
    }

    [Fact]
    public async Task The_server_calls_a_failed_Accept_callback_again()
    {
        using PipeNetwork network = new() { AcceptFailures = 2 };
        await using CoapServer server = await network.ServeAsync();
        await using CoapClient client = network.NewClient();

        CoapResponse response = await client.GetAsync(Uri);

        response.Says("21.5");
        Assert.Equal(2, server.Endpoint.Counters[CoapCounter.AcceptFailures]);
    }

    [Fact]
    public async Task An_exception_of_the_Connect_callback_reaches_the_request()
    {
        await using CoapClient client = new();
        client.Endpoint.AddTransport(new CoapDuplexPipeTransport(
            new CoapDuplexPipeTransportOptions { Connect = (_, _) => throw new IOException("The line is cut.") }));

        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(() => client.GetAsync(Uri));

        Assert.Equal(CoapError.ConnectFailed, error.Error);
        error.Mentions("The line is cut.");
        Assert.IsType<IOException>(error.GetBaseException());
    }

    [Fact]
    public async Task Disposing_a_client_completes_although_its_pipe_throws()
    {
        Pipe toServer = new();
        Pipe toClient = new();
        CoapClient client = new();
        client.Endpoint.AddTransport(new CoapDuplexPipeTransport(new CoapDuplexPipeTransportOptions
        {
            Connect = (_, _) => new ValueTask<CoapDuplexPipe>(new CoapDuplexPipe(new ThrowingReader(toClient.Reader), toServer.Writer)),
        }));
        Task<CoapResponse> request = client.GetAsync(Uri);
        await toServer.Reader.ReadAsync();

        await client.DisposeAsync().AsTask().WaitAsync(FromMinutes(2));

        await Assert.ThrowsAnyAsync<CoapException>(() => request);
    }

    [Fact]
    public async Task A_throwing_Abort_callback_does_not_stop_the_disposal_of_the_server()
    {
        CoapServer server = new();
        await server.Endpoint.ExpectConnections().StartAsync();
        Pipe input = new();
        Pipe output = new();
        Task had = server.Endpoint.AcceptStreamAsync(
            new CoapDuplexPipe(input.Reader, output.Writer),
            new CoapAcceptedConnectionInfo { Abort = () => throw new ObjectDisposedException("below") });

        await server.DisposeAsync();

        await had.WaitAsync(FromMinutes(2));
    }

    [Fact]
    public void A_one_way_stream_is_refused()
    {
        using MemoryStream readable = new([], writable: false);

        Assert.Throws<ArgumentException>(() => CoapDuplexPipe.FromStream(readable));
    }

    [Fact]
    public async Task A_pipe_above_MaxConnections_is_closed()
    {
        using PipeNetwork network = new();
        await using CoapServer server =
            await network.ServeAsync(new CoapEndpointOptions { Limits = new CoapLimits { Connections = { MaxCount = 1 } } });
        await using CoapClient first = network.NewClient();
        await first.GetAsync(Uri);

        await using CoapClient second = network.NewClient();

        await Assert.ThrowsAnyAsync<CoapException>(() => second.GetAsync(Uri));
        await first.GetAsync(Uri).Says("21.5");
    }

    // As a reader over a stream that is complete.
    private sealed class ThrowingReader(PipeReader inner) : PipeReader
    {
        public override void AdvanceTo(SequencePosition consumed) => inner.AdvanceTo(consumed);

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => inner.AdvanceTo(consumed, examined);

        public override void CancelPendingRead()
        {
            inner.CancelPendingRead();
            throw new ObjectDisposedException(nameof(PipeReader));
        }

        public override void Complete(Exception? exception = null)
        {
            inner.Complete(exception);
            throw new ObjectDisposedException(nameof(PipeReader));
        }

        public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) =>
            inner.ReadAsync(cancellationToken);

        public override bool TryRead(out ReadResult result) => inner.TryRead(out result);
    }
}
