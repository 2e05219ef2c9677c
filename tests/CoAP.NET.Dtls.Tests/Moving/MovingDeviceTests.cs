using CoAP.NET.Diagnostics;

namespace CoAP.NET.Dtls.Tests.Moving;

/// <summary>Devices with a Connection ID whose address changes in the midst of a session, and which know no Echo.</summary>
public sealed class MovingDeviceTests
{
    private const int LargeLength = 2_000;
    private const int FreeBytes = 136;
    private const int Factor = 3;

    [Fact]
    [Rfc("9146-6-1", "9146-C-1")]
    public async Task An_observer_is_notified_at_its_new_port_after_it_has_proved_its_address()
    {
        int state = 0;
        await using SecureEndpoints secure = Secure();
        CoapRouteHandlerBuilder route = secure.Server.MapGet("/state", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
        await secure.StartAsync();
        TaskCompletionSource<CoapPeerMove> moved = new(RunContinuationsAsynchronously);
        secure.Server.Endpoint.PeerMoved += (_, move) => moved.TrySetResult(move);
        using ScriptedDevice device = await ScriptedDevice.ConnectAsync(secure.Endpoint);
        device.Send("41 01 0001 aa 60 55 'state'");
        await device.ExpectAsync("61 45 0001 aa .. ");
        Change(1);
        await device.ExpectAsync("41 45 <note:2> aa ..");
        device.Send("60 00 <note>");

        device.Move();
        device.Send("40 01 0002 b5 'hello'");
        await device.ExpectAsync("60 45 0002 ..");
        await device.ExpectAsync("40 00 <ping:2>");
        CoapPeerMove move = await moved.Task.WaitAsync(FromMinutes(2));
        Assert.NotEqual(move.From, move.To);

        // A change is not told yet: nothing but answers and the ping went to the new port.
        Change(2);
        await Eventually.IsTrueAsync(() => secure.Server.Counters[CoapCounter.AmplificationRefused] > 0);
        await device.DrainAsync();
        Assert.False(device.HasGot(message => message[0] == 0x41 && message[^1] == (byte)'2'));
        Assert.InRange(device.ReceivedBytes, 1, Math.Max(Factor * device.SentBytes, FreeBytes));

        device.Send("70 00 <ping>");
        await device.ExpectAsync("41 45 <note:2> aa .. ");
        device.Send("60 00 <note>");
        Assert.Equal(1, secure.Server.ObserverCount);
        Assert.Equal(1, secure.Server.Counters[CoapCounter.PeersMoved]);
        Assert.False(device.IsEnded);

        void Change(int to)
        {
            Volatile.Write(ref state, to);
            route.Notify();
        }
    }

    [Fact]
    [Rfc("9853-5-1")]
    public async Task A_device_proves_its_new_port_by_a_path_response_and_no_ping_is_sent()
    {
        int state = 0;
        await using SecureEndpoints secure = Secure();
        CoapRouteHandlerBuilder route = secure.Server.MapGet("/state", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
        await secure.StartAsync();
        using ScriptedDevice device = await ScriptedDevice.ConnectAsync(secure.Endpoint, checksPaths: true);
        device.Send("41 01 0001 aa 60 55 'state'");
        await device.ExpectAsync("61 45 0001 aa .. ");
        device.Move();
        device.Send("40 01 0002 b5 'hello'");

        // The device has not read the challenge yet: only a limited number of bytes may go to the new port.
        await Eventually.IsTrueAsync(() => secure.Server.Counters[CoapCounter.PeersMoved] == 1);
        Assert.Equal(0, secure.Server.Counters[CoapCounter.AddressesVerified]);
        Assert.InRange(device.Waiting, 0, Math.Max(Factor * device.SentBytes, FreeBytes));

        await device.ExpectAsync("60 45 0002 ..");
        await device.ReadUntilAsync(() => secure.Server.Counters[CoapCounter.AddressesVerified] == 1);
        Volatile.Write(ref state, 1);
        route.Notify();
        await device.ExpectAsync("41 45 <note:2> aa .. ");
        device.Send("60 00 <note>");
        Assert.False(device.HasGot(static message => message[1] == 0));
    }

    [Fact]
    [Rfc("9146-C-1", "7252-5.2.2-1")]
    public async Task A_separate_response_is_sent_completely_after_the_client_has_proved_its_new_port()
    {
        string text = new('x', FreeBytes + 1);
        TaskCompletionSource done = new(RunContinuationsAsynchronously);
        await using SecureEndpoints secure = Secure();
        secure.Server.MapPost("/slow", async () =>
        {
            await done.Task;
            return CoapResults.Text(text);
        });
        await secure.StartAsync();
        using ScriptedDevice device = await ScriptedDevice.ConnectAsync(secure.Endpoint);
        device.Send("41 02 0001 aa b4 'slow'");

        // The copy is acknowledged at once.
        device.Send("41 02 0001 aa b4 'slow'");
        await device.ExpectAsync("60 00 0001");
        device.Move();
        device.Send("40 01 0002 b5 'hello'");
        await device.ExpectAsync("60 45 0002 ..");
        await device.ExpectAsync("40 00 <ping:2>");
        done.SetResult();
        await Eventually.IsTrueAsync(() => secure.Server.Counters[CoapCounter.AmplificationRefused] > 0);
        await device.DrainAsync();
        Assert.False(device.HasGot(message => message[0] == 0x41));

        device.Send("70 00 <ping>");
        byte[] answer = await device.ExpectAsync("41 45 <answer:2> aa c0 ff ..");
        Assert.Equal(text, Encoding.ASCII.GetString(answer[^text.Length..]));
        device.Send("60 00 <answer>");
    }

    [Fact]
    [Rfc("9146-C-1")]
    public async Task A_download_continues_at_the_new_port_block_by_block()
    {
        await using SecureEndpoints secure = await Secure().StartAsync();
        using ScriptedDevice device = await ScriptedDevice.ConnectAsync(secure.Endpoint);
        List<byte> body = [];
        for (int block = 0; block < (LargeLength + 63) / 64; block++)
        {
            if (block == 10)
            {
                // It never answers the ping: small blocks are free.
                device.Move();
            }

            // Uri-Path large; Block2 with blocks of 64 bytes (SZX 2).
            device.Send($"40 01 {block + 1:x4} b5 'large' c2 {(block << 4) | 2:x4}");
            byte[] answer = await device.ExpectAsync($"60 45 {block + 1:x4} ..");
            body.AddRange(answer[(Array.IndexOf(answer, (byte)0xff) + 1)..]);
            Assert.InRange(device.ReceivedBytes, 1, Math.Max(Factor * device.SentBytes, FreeBytes) + (block < 10 ? 1_000_000 : 0));
        }

        Assert.Equal(Large(), Encoding.ASCII.GetString([.. body]));
        Assert.Equal(1, secure.Server.Counters[CoapCounter.PeersMoved]);
    }

    [Fact]
    [Rfc("9146-C-1")]
    public async Task An_upload_continues_at_the_new_port_block_by_block()
    {
        byte[] stored = [];
        await using SecureEndpoints secure = Secure();
        secure.Server.MapPut("/store", request =>
        {
            stored = request.Payload.ToArray();
            return CoapResults.Changed();
        });
        await secure.StartAsync();
        using ScriptedDevice device = await ScriptedDevice.ConnectAsync(secure.Endpoint);
        for (int block = 0; block < 8; block++)
        {
            if (block == 4)
            {
                device.Move();
            }

            // Block1 is 27: 11 + 16 (delta 13 and 3 more); 16 bytes a block (SZX 0).
            int more = block < 7 ? 8 : 0;
            device.Send($"40 03 {block + 1:x4} b5 'store' d1 03 {(block << 4) | more:x2} ff '{block}-sixteen-bytes-'");
            await device.ExpectAsync($"60 {(more > 0 ? "5f" : "44")} {block + 1:x4} ..");
        }

        Assert.Equal(string.Concat(Enumerable.Range(0, 8).Select(block => $"{block}-sixteen-bytes-")),
            Encoding.ASCII.GetString(stored));
        Assert.Equal(1, secure.Server.Counters[CoapCounter.PeersMoved]);
    }

    [Fact]
    [Rfc("9146-6-1", "9146-6-2")]
    public async Task Captured_records_sent_from_another_address_do_not_move_the_session()
    {
        await using SecureEndpoints secure = await Secure().StartAsync();
        using ScriptedDevice device = await ScriptedDevice.ConnectAsync(secure.Endpoint);
        using Socket stranger = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        stranger.Connect(secure.Endpoint);
        byte[] held = device.Seal("40 01 0001 b5 'hello'");
        device.Send("40 01 0002 b5 'hello'");
        await device.ExpectAsync("60 45 0002 ..");
        byte[] seen = device.Sent[^1];

        // The one the server knows; one that it does not know, but is older than the newest; and the newest one with each bit of its first
        // bytes another.
        stranger.Send(seen);
        for (int bit = 0; bit < 8 * 40; bit++)
        {
            byte[] forged = [.. seen];
            forged[bit / 8] ^= (byte)(1 << (bit % 8));
            stranger.Send(forged);
        }

        stranger.Send(held);
        await device.ExpectAsync("60 45 0001 ..");
        Assert.Equal(0, secure.Server.Counters[CoapCounter.PeersMoved]);
        Assert.True(secure.Server.Counters[CoapCounter.RecordsRejected] > 0);
        Assert.Equal(0, stranger.Available);

        device.Send("40 01 0003 b5 'hello'");
        await device.ExpectAsync("60 45 0003 ..");
        Assert.False(device.IsEnded);
    }

    [Fact]
    public async Task A_device_without_a_Connection_ID_needs_a_new_handshake_at_its_new_port()
    {
        await using SecureEndpoints secure = await Secure().StartAsync();
        using ScriptedDevice device = await ScriptedDevice.ConnectAsync(secure.Endpoint, withCid: false);
        device.Send("40 01 0001 b5 'hello'");
        await device.ExpectAsync("60 45 0001 ..");
        device.Move();
        device.Send("40 01 0002 b5 'hello'");
        await Eventually.IsTrueAsync(() => secure.Server.Counters[CoapCounter.RecordsRejected] == 1);
        Assert.Equal(0, device.Waiting);
        Assert.Equal(0, secure.Server.Counters[CoapCounter.PeersMoved]);

        using ScriptedDevice anew = await ScriptedDevice.ConnectAsync(secure.Endpoint, withCid: false);
        anew.Send("40 01 0001 b5 'hello'");
        await anew.ExpectAsync("60 45 0001 ..");
    }

    private static string Large() => string.Concat(Enumerable.Range(0, LargeLength / 10).Select(i => $"line {i:d4}\n"));

    // Addresses of the loopback are above suspicion unless it is said otherwise.
    private static SecureEndpoints Secure()
    {
        SecureEndpoints secure = new(endpoint: options =>
        {
            options.Limits.Peers.TrustedPrefixes.Clear();
            options.Parameters = CoapTransmissionParameters.Default with
            {
                AckTimeout = FromSeconds(1),
                PiggybackWindow = FromMinutes(1)
            };
        });
        secure.Server.MapGet("/large", () => CoapResults.Text(Large()));
        return secure;
    }
}
