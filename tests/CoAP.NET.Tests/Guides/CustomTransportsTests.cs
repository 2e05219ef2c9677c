using System.Net;
using System.Threading.Channels;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Guides;

/// <summary>The snippets of docs/custom-transports.md, so that they compile and do what the page says.</summary>
public sealed class CustomTransportsTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("custom-transports.md", "Guides", 4);

    [Fact]
    public async Task A_client_and_a_server_communicate_over_a_custom_transport()
    {
        Channel<byte[]> toServer = Channel.CreateBounded<byte[]>(100);
        Channel<byte[]> toClient = Channel.CreateBounded<byte[]>(100);
        await using CoapServer server = new();
        await using CoapClient client = new();
        server.MapGet("/temperature", () => "21.5");
        server.MapPut("/large", request => $"{request.Payload.Length}");
        using CancellationTokenSource hang = new(s_hang);
        CancellationToken cancellationToken = hang.Token;

        server.Endpoint.AddTransport(new PipeTransport(PipeAddresses.Server, toServer.Reader, toClient.Writer));
        client.Endpoint.AddTransport(new PipeTransport(PipeAddresses.Client, toClient.Reader, toServer.Writer));
        await server.StartAsync(cancellationToken);
        CoapResponse response = await client.GetAsync("coap://[fd00::1]/temperature", cancellationToken);

        Assert.Equal("21.5", response.GetText());
        await client.PutAsync("coap://[fd00::1]/large", CoapContent.Binary(new byte[10_000]), cancellationToken).Says("10000");
        Assert.True(server.Counters[CoapCounter.BodiesAssembled] == 1 && server.Counters[CoapCounter.DatagramsSent] > 10);
    }

    [Fact]
    public async Task A_Dataflow_block_can_be_used_as_a_transport()
    {
        Modem modem = new();
        await using CoapClient client = new();
        IPropagatorBlock<CoapDatagram, CoapDatagram> block = DataflowBlock.Encapsulate(
            new ActionBlock<CoapDatagram>(
                datagram => modem.SendAsync(datagram), new ExecutionDataflowBlockOptions { BoundedCapacity = 100 }),
            modem.Received);
        client.Endpoint.AddTransport(
            new CoapDataflowBlockTransport(block, modem.Address, "coap+radio", defaultPort: 5683));
        CoapResponse response = await client.GetAsync("coap+radio://[fd00::1]/temperature");

        Assert.Equal("21.5", response.GetText());
    }

    [Fact]
    public async Task ParametersOf_limits_the_datagram_size_to_a_peer()
    {
        IPAddress radio = IPAddress.Parse("fd00::1");
        CoapEndpointOptions options = new()
        {
            ParametersOf = peer => peer.Address.Equals(radio)
                ? CoapTransmissionParameters.Default with
                {
                    MaxMessageSize = 160,
                    PreferredBlockSize = 64,
                    AckTimeout = FromSeconds(8)
                }
                : null,
        };
        Channel<byte[]> toServer = Channel.CreateBounded<byte[]>(100);
        Channel<byte[]> toClient = Channel.CreateBounded<byte[]>(100);
        await using CoapServer server = new();
        await using CoapClient client = new(options);
        int largest = 0;
        server.MapPut("/large", request => $"{request.Payload.Length}");
        server.Endpoint.AddTransport(new PipeTransport(PipeAddresses.Server, toServer.Reader, toClient.Writer));
        client.Endpoint.AddTransport(new PipeTransport(PipeAddresses.Client, toClient.Reader,
            new Measure(toServer.Writer, length => largest = Math.Max(largest, length))));
        await server.StartAsync();
        await client.PutAsync("coap://[fd00::1]/large", CoapContent.Binary(new byte[1000])).WaitAsync(s_hang).Says("1000");
        Assert.InRange(largest, 64, 160);
    }

    // A module with a device that has one temperature.
    private sealed class Modem
    {
        public BufferBlock<CoapDatagram> Received { get; } = new();

        public CoapAddress Address { get; } = PipeAddresses.Client;

        public async Task SendAsync(CoapDatagram datagram)
        {
            using (datagram)
            {
                CoapMessage request = new CoapDatagramSerializer().Deserialize(datagram.Span);
                byte[] response = new CoapDatagramSerializer().Serialize(new CoapMessage(CoapCode.Content)
                {
                    Type = CoapMessageType.Acknowledgement,
                    MessageId = request.MessageId,
                    Token = request.Token,
                    Payload = "21.5"u8.ToArray(),
                });
                CoapDatagram answer = new(response.Length) { Length = response.Length, Remote = datagram.Remote };
                response.CopyTo(answer.Buffer, 0);
                await Received.SendAsync(answer);
            }
        }
    }

    private sealed class Measure(ChannelWriter<byte[]> inner, Action<int> look) : ChannelWriter<byte[]>
    {
        public override bool TryWrite(byte[] item)
        {
            look(item.Length);
            return inner.TryWrite(item);
        }

        public override ValueTask<bool> WaitToWriteAsync(CancellationToken cancellationToken = default) =>
            inner.WaitToWriteAsync(cancellationToken);
    }
}
