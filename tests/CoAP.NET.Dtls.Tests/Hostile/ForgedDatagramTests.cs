using CoAP.NET.Diagnostics;

namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>Whatever comes beside a session, from its own address or from others, it goes on.</summary>
public sealed class ForgedDatagramTests
{
    // As many as surely fit into a receive buffer.
    private const int Burst = 50;

    [Theory]
    [Trait("Category", "Campaign")]
    [InlineData(true)]
    [InlineData(false)]
    [Rfc("6347-4.1.2.6-1", "9146-6-2", "6347-4.2.8-1")]
    public async Task Forged_modified_truncated_and_replayed_datagrams_end_no_session(bool withCid)
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        using ScriptedDevice device = await ScriptedDevice.ConnectAsync(secure.Endpoint, withCid);
        using Socket stranger = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        stranger.Connect(secure.Endpoint);
        VirtualRandom random = new((ulong)Campaign.Seed);
        int id = 0;
        for (int sent = 0; sent < Campaign.Forged; sent++)
        {
            if (sent % Burst == 0)
            {
                await AskAsync(++id & 0xffff);
                while (stranger.Available > 0)
                {
                    stranger.Receive(new byte[2_048]);
                }
            }

            byte[] forged = Forge(device.Sent, random);
            if (Below(random, 2) == 0)
            {
                device.SendRaw(forged);
            }
            else
            {
                stranger.Send(forged);
            }
        }

        await AskAsync(++id & 0xffff);
        Assert.False(device.IsEnded);
        Assert.Equal(0, secure.Server.Counters[CoapCounter.PeersMoved]);
        Assert.Equal(id, secure.Server.Counters[CoapCounter.RequestsReceived]);
        Assert.Equal(1, secure.Transport.Engine!.Server!.SessionCount);
        await secure.Client().GetAsync($"{secure.Host}/hello").Says("hello");

        async Task AskAsync(int number)
        {
            device.Send($"40 01 {number:x4} b5 'hello'");
            await device.ExpectAsync($"60 45 {number:x4} .. ");

            // Of the handshake's datagrams all are kept, of the session's the newest.
            if (device.Sent.Count > 20)
            {
                device.Sent.RemoveRange(10, device.Sent.Count - 20);
            }
        }
    }

    private static byte[] Forge(List<byte[]> sent, VirtualRandom random)
    {
        byte[] bytes = [.. sent[Below(random, sent.Count)]];
        switch (Below(random, 7))
        {
            case 0:
                return bytes;
            case 1:
                return bytes[..Below(random, bytes.Length)];
            case 2:
                // One of another kind, length, epoch or number, with the rest as it was.
                random.Fill(bytes.AsSpan(Below(random, 13), 1));
                return bytes;
            case 3:
                random.Fill(bytes.AsSpan(Below(random, bytes.Length)));
                return bytes;
            case 4:
                return [.. bytes, .. sent[Below(random, sent.Count)]];
            case 5:
                // A short record of the present epoch, in the clear: an alert, a Finished, a message.
                byte[] record = new byte[13 + 1 + Below(random, 24)];
                random.Fill(record);
                (record[0], record[1], record[2], record[3], record[4]) = ((byte)(20 + Below(random, 6)), 0xfe, 0xfd, 0,
                    (byte)Below(random, 2));
                (record[11], record[12]) = (0, (byte)(record.Length - 13));
                return record;
            default:
                bytes[Below(random, bytes.Length)] ^= (byte)(1 << Below(random, 8));
                return bytes;
        }
    }

    private static int Below(VirtualRandom random, int bound) => (int)(random.NextUInt64() % (ulong)bound);
}
