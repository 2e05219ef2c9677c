namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>What a request makes for the garbage collector.</summary>
[Collection(MeasuredAlone.Name)]
public sealed class AllocationTests(ITestOutputHelper output)
{
    private const int WarmUp = 2_000;
    private const int Rounds = 4;
    private const int Count = 1_500;

    // The least that any object takes is 24 bytes.
    private const double Noise = 8;

    [Theory]
    [InlineData(SecureClient.PskCcm8, true)]
    [InlineData(SecureClient.PskCcm8, false)]
    [InlineData(SecureClient.PskGcm, true)]
    public async Task A_request_over_DTLS_allocates_no_more_than_a_request_over_UDP(string suite, bool withCid)
    {
        await using SecureEndpoints secure = new();
        secure.Server.MapGet("/reading", () => CoapResults.Text("21.5")).AllowInsecureTransport();
        secure.Server.Listen("coap://127.0.0.1:0");
        await secure.StartAsync();
        string plainHost = secure.Server.LocalEndpoints.First(endpoint => endpoint.Scheme == "coap").Origin();
        using Device plain = new(new IPEndPoint(IPAddress.Loopback, new Uri(plainHost).Port), null);
        SecureClient client = new(suite, withCid);
        using Device secured = new(secure.Endpoint, client);
        plain.Ask(WarmUp);
        secured.Ask(WarmUp);

        double without = Measure(plain);
        double within = Measure(secured);

        output.WriteLine($"{without:0.0} B a request without DTLS, {within:0.0} B with {suite}{(withCid ? " and a Connection ID" : "")}");
        Assert.InRange(within - without, -without, Noise);
    }

    // The least of some rounds: tables that grow now and then, and what others in the process do, are not a request's.
    private static double Measure(Device device)
    {
        long least = long.MaxValue;
        for (int i = 0; i < Rounds; i++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            device.Ask(Count);
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        return least / (double)Count;
    }

    /// <summary>Asks for /reading, one request after another, and allocates nothing.</summary>
    private sealed class Device : IDisposable
    {
        private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { ReceiveTimeout = 20_000 };
        private readonly byte[] _request;
        private readonly byte[] _buffer = new byte[2_048];
        private readonly SecurePeer? _peer;
        private ushort _messageId;

        public Device(IPEndPoint server, SecureClient? client)
        {
            CoapMessage request = new(CoapCode.Get) { Type = CoapMessageType.Confirmable, Token = new CoapToken([1, 2, 3, 4]) };
            request.Options.Add(new UriPathOption("reading"));
            _request = CoapDatagramSerializer.Default.Serialize(request);
            _socket.Connect(server);
            if (client is null)
            {
                return;
            }

            _peer = new SecurePeer(client);
            for (IReadOnlyList<byte[]> output = _peer.Begin(); ; output = _peer.Take(_buffer.AsSpan(0, _socket.Receive(_buffer))))
            {
                foreach (byte[] datagram in output)
                {
                    _socket.Send(datagram);
                }

                if (!_peer.IsConnecting)
                {
                    break;
                }
            }
        }

        public void Ask(int count)
        {
            for (int i = 0; i < count; i++)
            {
                BinaryPrimitives.WriteUInt16BigEndian(_request.AsSpan(2), ++_messageId);
                _socket.Send(_peer is null ? _request : _buffer.AsSpan(0, _peer.Seal(_request, _buffer)));
                Span<byte> answer = _buffer.AsSpan(0, _socket.Receive(_buffer));
                answer = _peer is null ? answer : _peer.Open(answer);
                if (answer.Length < 4 || answer[1] != 0x45 || BinaryPrimitives.ReadUInt16BigEndian(answer[2..]) != _messageId)
                {
                    throw new InvalidOperationException($"Request {_messageId} was answered by {Convert.ToHexString(answer)}.");
                }
            }
        }

        public void Dispose()
        {
            _peer?.Dispose();
            _socket.Dispose();
        }
    }
}
