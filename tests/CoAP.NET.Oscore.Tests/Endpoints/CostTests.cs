using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>What a protected request takes and leaves behind.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class CostTests : IAsyncLifetime
{
    private readonly VirtualClock _clock = new();
    private readonly Wire _transport = new();
    private readonly OscoreContext _client = OscoreWorld.ClientContext();
    private readonly OscoreContexts _contexts = new();
    private CoapServer _server = null!;
    private CoapChannel? _peer;
    private int _served;
    private ulong _sent;

    public async ValueTask InitializeAsync()
    {
        CoapResult kept = CoapResults.Text("hello");
        _contexts.Add(OscoreWorld.ServerContext());
        _server = new CoapServer(
            new CoapEndpointOptions { TimeProvider = _clock, Pipeline = { Random = new VirtualRandom(1) } }.UseOscore(_contexts));
        _server.MapGet("/hello", request =>
        {
            _peer = request.Channel;
            _served++;
            return kept;
        });
        _server.Endpoint.AddTransport(_transport);
        await _server.StartAsync();
    }

    public async ValueTask DisposeAsync() => await _server.DisposeAsync();

    [Fact]
    public void A_protected_GET_allocates_little_more_than_its_messages()
    {
        const int Requests = 400;
        byte[][] requests = Requested(Requests * (3 + Allocations.Runs));
        int next = 0;
        void Ask(int count)
        {
            for (int i = 0; i < count; i++)
            {
                _transport.Receive(requests[next++]);
            }
        }

        Ask(3 * Requests);
        double each = Allocations.Least(() => Ask(Requests)) / (double)Requests;

        // Without protection a GET takes some 400 bytes: its request, and what is kept of the exchange. Here there are two more messages,
        // the ciphertext, the plaintext and what the response is bound to.
        Assert.InRange(each, 1, 1_150);
        Assert.Equal(requests.Length, _served);
    }

    [Fact]
    public void A_protected_peer_is_forgotten_after_a_silence_and_created_again_by_its_next_message()
    {
        Ask();
        CoapChannel first = _peer!;
        for (int i = 0; i < 10; i++)
        {
            _clock.Advance(FromMinutes(3));
            Ask();
            Assert.Same(first, _peer);
        }

        for (int i = 0; i < 3; i++)
        {
            _clock.Advance(FromMinutes(5));
        }

        Assert.True(first.IsForgotten);
        Ask();
        Assert.NotSame(first, _peer);
        Assert.False(_peer!.IsForgotten);
        Assert.Equal(first.Identity, _peer.Identity);
        Assert.Equal(12, _served);
    }

    private void Ask() => _transport.Receive(Requested(1)[0]);

    private byte[][] Requested(int count)
    {
        byte[][] requests = new byte[count][];
        for (int i = 0; i < count; i++)
        {
            CoapMessage request = new(CoapCode.Get)
            {
                Type = CoapMessageType.Confirmable,
                MessageId = (ushort)_sent,
                Token = new CoapToken([1, 2, (byte)(_sent >> 8), (byte)_sent]),
            };
            request.Options.Add(new UriPathOption("hello"));
            CoapMessage sent = OscoreMessageCipher.ProtectRequest(_client, request, new OscoreRequestId([], _sent++), kidContext: false);
            requests[i] = CoapDatagramSerializer.Default.Serialize(sent);
        }

        return requests;
    }

    /// <summary>One device at the other end: what it sends was served when the call returns, and what it gets it throws away.</summary>
    private sealed class Wire : CoapDatagramTransport
    {
        private static readonly CoapAddress s_local = CoapAddress.FromIPv4(0xc000_0201, 5683);
        private static readonly CoapAddress s_device = CoapAddress.FromIPv4(0xc000_0202, 40_000);

        // What came in it is decrypted when the call returns, so the memory serves again.
        private readonly CoapDatagram _datagram = new(128);
        private ICoapDatagramTransportContext? _context;

        public override string Scheme => "coap";

        public override IReadOnlyList<CoapAddress> LocalAddresses => [s_local];

        public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
        {
            _context = context;
            return ValueTask.CompletedTask;
        }

        public void Receive(byte[] bytes)
        {
            bytes.CopyTo(_datagram.Buffer, 0);
            _datagram.Length = bytes.Length;
            _datagram.Remote = s_device;
            _datagram.Local = s_local;
            _datagram.Transport = this;
            _datagram.Channel = null;
            _context!.Receive(_datagram);
        }

        public override void Send(CoapDatagram datagram) => datagram.Dispose();

        public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
