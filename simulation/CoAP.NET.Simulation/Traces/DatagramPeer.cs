namespace CoAP.NET.Simulation.Traces;

/// <summary>A client of bytes: it uses nothing of the library whose calls are recorded.</summary>
internal sealed class DatagramPeer : IDisposable
{
    private readonly UdpClient _client = new(new IPEndPoint(IPAddress.Loopback, 0));
    private ushort _id;

    public DatagramPeer(CoapServer server) => _client.Connect(new IPEndPoint(IPAddress.Loopback, server.LocalEndpoints[0].Port));

    /// <summary>Sends a Confirmable GET and waits for its 2.05.</summary>
    /// <param name="options">The options, encoded.</param>
    public async Task GetAsync(params byte[] options)
    {
        byte[] id = NextId();
        await SendAsync([0x41, 0x01, .. id, 0x01, .. options]);
        byte[] answer = await ReceiveAsync();
        if (answer is not [_, 0x45, ..])
        {
            throw new InvalidOperationException($"The answer is no 2.05: {Convert.ToHexString(answer)}.");
        }
    }

    /// <summary>Waits until the thread that receives from this peer has done all of what was received before: it answers a ping.</summary>
    public async Task SyncAsync()
    {
        byte[] id = NextId();
        await SendAsync([0x40, 0x00, .. id]);
        byte[] answer;
        do
        {
            answer = await ReceiveAsync();
        }
        while (answer[0] != 0x70 || !answer.AsSpan(2, 2).SequenceEqual(id));
    }

    /// <summary>Acknowledges a message.</summary>
    public Task AcknowledgeAsync(byte[] message) => SendAsync([0x60, 0x00, message[2], message[3]]);

    public async Task<byte[]> ReceiveAsync() => (await _client.ReceiveAsync()).Buffer;

    public void Dispose() => _client.Dispose();

    private Task<int> SendAsync(byte[] datagram) => _client.SendAsync(datagram, datagram.Length);

    private byte[] NextId() => [(byte)(++_id >> 8), (byte)_id];
}
