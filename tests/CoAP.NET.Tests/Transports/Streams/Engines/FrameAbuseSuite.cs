using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Messaging;
using CoAP.NET.Tests.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Streams.Engines;

/// <summary>Frames that are wrong, too long, too slow or not whole.</summary>
public abstract class FrameAbuseSuite : AbuseSuite
{
    // Section 10.2 of RFC 8323 in examples: signalling, requests and responses nobody asked for, and whether the connection ends by them.
    private static readonly (string Frame, bool Ends)[] s_messages =
    [
        ("01437f", false), ("0000", false), ("c1017fbb74656d7065726174757265", false), ("71457fff32322e332043", false), ("00e1", false),
        ("30e1220480", false), ("40e122048020", false),
        ("50e12301000020", false), ("50e12380010020", false), ("40e16301010c", false), ("70e123010000202120", false), ("10e1a0", false),
        ("10e190", true), ("01e243", false), ("01e343", false),
        ("11e24320", false), ("11e34320", false), ("00e4", true), ("d007e42d036578616d706c652e6f72673a35363833213c", true),
        ("80e423613a3103623a32", true), ("00e5", true),
        ("60e52109ff626164", true), ("01a101", false), ("51011060536f6273", false), ("31451060ff31", false), ("6101106101536f6273", false),
    ];

    [Fact]
    public async Task Each_kind_of_message_keeps_or_ends_the_connection_as_expected()
    {
        await StartAsync();
        foreach ((string frame, bool ends) in s_messages)
        {
            await using AsyncPeer peer = await ConnectAsync();
            await peer.SendAsync(frame + "01e242");
            bool hasEnded = false;
            try
            {
                while (await peer.ReadFrameAsync() != "01e342")
                {
                    // Answers to what was asked.
                }
            }
            catch (IOException)
            {
                hasEnded = true;
            }

            Assert.True(ends == hasEnded, frame);
        }

        Assert.Equal(2, Count(CoapCounter.AbortsReceived));
        Assert.Equal(1, Count(CoapCounter.ConnectionsAborted));
        await AssertNothingLeftAsync();
    }

    [Theory]
    [InlineData("f0ffffffff45")]
    [InlineData("f1ffffffff457f")]
    [InlineData("f0ffefffff02")]
    public async Task A_frame_length_of_gibibytes_is_refused_immediately(string head)
    {
        await StartAsync();
        await using AsyncPeer peer = await ConnectAsync();

        await peer.SendAsync(head);

        await peer.ReadAbortAsync();
        await peer.ReadToAnyEndAsync();
        Assert.Equal(1, Count(CoapCounter.FramesRefused));
        Assert.Equal(0, Server.Endpoint.FrameAssemblyBytes);
        peer.Reset();
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task A_frame_of_MaxMessageSize_is_accepted_and_a_longer_frame_aborts_the_connection()
    {
        Options.Limits.Connections.MaxMessageSize = 20_000;
        Server.MapPut("/s", static request => CoapResults.Changed(CoapContent.Text($"{request.Payload.Length}")));
        await StartAsync();
        await using AsyncPeer peer = await ConnectAsync();

        // First byte, two of the length, code, token, Uri-Path, marker.
        byte[] fits = Wire.Hex(Frames.Write(Frames.Request(CoapMethod.Put, "s", payload: Frames.Bytes(20_000 - 8))));
        byte[] isTooLong = Wire.Hex(Frames.Write(Frames.Request(CoapMethod.Put, "s", payload: Frames.Bytes(20_000 - 7))));
        Assert.Equal(20_000, fits.Length);
        await peer.SendAsync(fits);
        Assert.Equal("19992", Encoding.UTF8.GetString((await peer.ReadMessageAsync()).Payload.Span));
        await peer.SendAsync(isTooLong);
        await peer.ReadAbortAsync();
        await peer.ReadToAnyEndAsync();

        Assert.Equal(1, Count(CoapCounter.FramesRefused));
        peer.Reset();
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task An_incomplete_frame_that_stopped_growing_is_evicted_when_ReceiveMemory_is_full()
    {
        const int half = 60 * 1024;

        // What a half takes of memory.
        const int charge = 64 * 1024;

        // Four halves and the rest of one, but not five halves.
        Options.Limits.Connections.ReceiveMemory = (5 * charge) - 1;
        Server.MapPut("/s", static _ => CoapResults.Changed());
        await StartAsync();
        byte[] frame = Wire.Hex(Frames.Write(Frames.Request(CoapMethod.Put, "s", payload: Frames.Bytes(76 * 1024))));
        List<AsyncPeer> peers = [];
        for (int i = 0; i < 5; i++)
        {
            int held = Math.Min(4, i + 1) * charge;
            peers.Add(await ConnectAsync());
            await peers[i].SendAsync(frame.AsMemory(0, half));
            await UntilAsync(() => Server.Endpoint.FrameAssemblyBytes == held,
                () => $"{Server.Endpoint.FrameAssemblyBytes} bytes are accounted, and not {held}.");
        }

        await peers[0].ReadToAnyEndAsync();
        await UntilAsync(CoapCounter.FramesRefused, 1);
        await UntilAsync(CoapCounter.ConnectionsEvicted, 1);
        for (int i = 4; i > 0; i--)
        {
            await peers[i].SendAsync(frame.AsMemory(half));
            Assert.Equal("0144aa", await peers[i].ReadFrameAsync());
        }

        await UntilAsync(() => Server.Endpoint.FrameAssemblyBytes == 0, () => $"{Server.Endpoint.FrameAssemblyBytes} bytes are accounted.");
        foreach (AsyncPeer peer in peers)
        {
            await peer.DisposeAsync();
        }

        await AssertNothingLeftAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_peer_that_disconnects_at_any_byte_leaves_no_state_behind(bool resets)
    {
        Server.MapPut("/s", static _ => CoapResults.Changed());
        await StartAsync();
        byte[] bytes = Wire.Hex(LargeCsm + GetX + Frames.Write(Frames.Request(CoapMethod.Put, "s", payload: Frames.Bytes(20))));
        for (int cut = 0; cut <= bytes.Length; cut++)
        {
            await using AsyncPeer peer = await ConnectRawAsync();
            await peer.SendAsync(bytes.AsMemory(0, cut));
            if (resets)
            {
                peer.Reset();
            }
            else
            {
                peer.EndSending();
                await peer.ReadToAnyEndAsync();
            }
        }

        await Within(Client.GetAsync(Uri + "/x")).Says("hi");
        await AssertNothingLeftAsync();
        Assert.Equal(0, Count(CoapCounter.ConnectionsRefused));
    }

    [Fact]
    public async Task A_TCP_reset_during_large_messages_leaves_no_state_behind()
    {
        byte[] body = Frames.Bytes(900 * 1024);
        Server.MapGet("/big", () => CoapResults.Bytes(body));
        Server.MapPut("/s", static _ => CoapResults.Changed());
        await StartAsync();
        byte[] frame = Wire.Hex(Frames.Write(Frames.Request(CoapMethod.Put, "s", payload: body)));
        for (int i = 0; i < 5; i++)
        {
            AsyncPeer reads = await ConnectAsync(receiveBuffer: 8192);
            await reads.SendAsync("4101ccb3626967" + "4101ccb3626967");
            await reads.ReceiveAsync(1000);
            reads.Reset();
            AsyncPeer sends = await ConnectAsync();
            await sends.SendAsync(frame.AsMemory(0, frame.Length / 2));
            sends.Reset();
        }

        await AssertNothingLeftAsync();
        Assert.Equal(10, Count(CoapCounter.ConnectionsLost));
    }

    [Theory]
    [Trait("Category", "Campaign")]
    [InlineData("")]
    [InlineData(LargeCsm)]
    public async Task Random_bytes_affect_only_their_own_connection(string before)
    {
        await StartAsync();
        Random random = new(Campaign.Seed);
        for (int i = 0; i < Campaign.Rounds(40); i++)
        {
            byte[] garbage = new byte[random.Next(1, 300)];
            random.NextBytes(garbage);
            await using AsyncPeer peer = await ConnectRawAsync();
            try
            {
                await peer.SendAsync((byte[])[.. Wire.Hex(before), .. garbage]);
                peer.EndSending();
            }
            catch (Exception exception) when (exception is IOException or System.Net.Sockets.SocketException)
            {
                // It was over before.
            }

            await peer.ReadToAnyEndAsync();
        }

        await Within(Client.GetAsync(Uri + "/x")).Says("hi");
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task An_incomplete_frame_aborts_its_connection_after_FrameTimeout()
    {
        await StartAsync();
        await using AsyncPeer peer = await ConnectAsync();
        CoapConnection connection = Assert.Single(Connections);

        await peer.SendAsync(GetX[..^2]);
        await UntilAsync(() => connection.Progress.PartialLength > 0, static () => "Nothing came.");
        await PassUntilAsync(Options.Transports.Streams.FrameTimeout, CoapCounter.SlowConnections, 1);

        await peer.ReadAbortAsync();
        Assert.Equal(1, Count(CoapCounter.SlowConnections));
        await peer.ReadToAnyEndAsync();
        peer.Reset();
        await AssertNothingLeftAsync();
    }
}
