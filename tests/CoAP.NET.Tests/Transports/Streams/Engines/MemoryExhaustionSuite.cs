using System.Net;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Tcp;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Streams.Engines;

/// <summary>Peers that take what all share and hold it: one address or some, beside an honest peer of another.</summary>
public abstract class MemoryExhaustionSuite : FrameAbuseSuite
{
    /// <summary>Eight of them are the share of an address, and sixteen all that there is.</summary>
    private const int Part = 60 * 1024;

    /// <summary>What one of them takes of memory.</summary>
    private const int Charge = 64 * 1024;

    /// <summary>What a connection takes besides while its records come in parts.</summary>
    private int Meanwhile => UsesTls ? TlsInnerStream.RecordBuffer : 0;

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public async Task Incomplete_frames_of_some_addresses_do_not_block_the_frames_of_others(int sources)
    {
        const int Each = 12;
        Options.Limits.Connections.MaxMessageSize = 64 * 1024;
        Options.Limits.Connections.ReceiveMemory = (16 * Charge) + Meanwhile;
        Options.Limits.Connections.MaxSourceFraction = ((8.0 * Charge) + Meanwhile) / Options.Limits.Connections.ReceiveMemory;
        Server.MapPut("/s", static _ => CoapResults.Changed());
        await StartAsync();
        await using AsyncPeer honest = await ConnectAsync();
        byte[] frame = Wire.Hex(Frames.Write(Frames.Request(CoapMethod.Put, "s", payload: Frames.Bytes(Part + 1000))));
        int most = sources == 1 ? 8 : 16;
        List<AsyncPeer> held = [];
        for (int i = 0; i < sources * Each; i++)
        {
            held.Add(await ConnectFromAsync(i % sources));
            await held[i].SendAsync(frame.AsMemory(0, Part));
            await UntilAsync(CoapCounter.ConnectionsEvicted, Math.Max(0, i + 1 - most));
            await UntilAsync(() => Server.Endpoint.FrameAssemblyBytes == Math.Min(i + 1, most) * Charge,
                () => $"{Server.Endpoint.FrameAssemblyBytes} bytes are accounted.");
        }

        int gone = (sources * Each) - most;

        // The honest one needs what is not free any more, in three parts.
        await honest.SendAsync(frame.AsMemory(0, 3000));
        await UntilAsync(() => Connections.Exists(static one => one.Progress.PartialReceived == 3000),
            static () => "The first part did not come.");
        await honest.SendAsync(frame.AsMemory(3000, 17_000));
        await UntilAsync(() => Connections.Exists(static one => one.Progress.PartialReceived == 20_000),
            static () => "The second part did not come.");
        await honest.SendAsync(frame.AsMemory(20_000));
        Assert.Equal("0144aa", await honest.ReadFrameAsync());
        await UntilAsync(CoapCounter.FramesRefused, sources == 1 ? gone : gone + 1);
        Assert.Equal(sources == 1 ? gone : gone + 1, Count(CoapCounter.ConnectionsEvicted));
        Assert.Equal(sources == 1 ? gone : gone + 1, Count(CoapCounter.FramesRefused));
        await CloseAsync(held, honest);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public async Task Unread_answers_of_some_addresses_do_not_block_the_answers_of_others(int sources)
    {
        const int Each = 12;
        const int Body = 512 * 1024;
        const int Most = 8 * 1024 * 1024;
        Options.Limits.Connections.MaxSendQueueSize = Body;
        Options.Limits.Connections.SendMemory = Most;
        byte[] body = new byte[Body];
        Server.MapGet("/big", () => CoapResults.Bytes(body));
        await StartAsync();
        List<AsyncPeer> deaf = [];
        long most = 0;
        for (int i = 0; i < sources * Each; i++)
        {
            deaf.Add(await ConnectFromAsync(i % sources, receiveBuffer: 8192));
            try
            {
                await deaf[i].SendAsync(string.Concat(Enumerable.Repeat("4101ccb3626967", 16)));
            }
            catch (IOException)
            {
                // It was evicted already.
            }

            most = Math.Max(most, Server.Endpoint.StreamSendBytes);
        }

        await UntilAsync(() =>
        {
            most = Math.Max(most, Server.Endpoint.StreamSendBytes);
            return Count(CoapCounter.ConnectionsEvicted) > 0;
        }, () => $"Nobody was evicted, and {most} bytes waited at most.");
        Assert.InRange(most, 1, sources == 1 ? Most / 4 : Most);
        CoapResponse answer = await Within(Client.GetAsync(Uri + "/big"));
        Assert.Equal(Body, answer.Payload.Length);
        await UntilAsync(() => Server.Endpoint.StreamSendBytes <= (sources == 1 ? Most / 4 : Most),
            () => $"{Server.Endpoint.StreamSendBytes} bytes wait.");
        await CloseAsync(deaf);
        await UntilAsync(() => Server.Endpoint.StreamSendBytes == 0, () => $"{Server.Endpoint.StreamSendBytes} bytes are charged.");
    }

    [Fact]
    public async Task Bytes_that_a_peer_does_not_read_are_charged_by_the_size_of_their_buffers()
    {
        const int Length = 16 * 1024 * 1024;
        const int Buffer = 40 * 1024 * 1024;
        await StartAsync();
        await using AsyncPeer deaf = await ConnectAsync(receiveBuffer: 8192);
        CoapConnection connection = Assert.Single(Connections);

        connection.Send(new CoapDatagram(Buffer) { Length = Length });

        await UntilAsync(() => Server.Endpoint.StreamSendBytes >= Buffer, () => $"{Server.Endpoint.StreamSendBytes} bytes are charged.");
        Assert.InRange(connection.Progress.BytesWaiting, 1, Length);
        Assert.InRange(connection.Backlog, Buffer, Buffer + (64 * 1024));
        await CloseAsync([deaf]);
        await UntilAsync(() => Server.Endpoint.StreamSendBytes == 0, () => $"{Server.Endpoint.StreamSendBytes} bytes are charged.");
    }

    [Fact]
    public async Task A_long_frame_that_stops_arriving_is_aborted_after_FrameTimeout()
    {
        await StartAsync();
        await using AsyncPeer peer = await ConnectAsync();
        byte[] frame = Wire.Hex(Frames.Write(Frames.Request(CoapMethod.Put, "s", payload: Frames.Bytes(900_000))));
        await peer.SendAsync(frame.AsMemory(0, frame.Length - 100));
        await UntilAsync(() => Connections.Exists(one => one.Progress.PartialReceived == frame.Length - 100),
            static () => "It did not come.");
        await PassUntilAsync(Options.Transports.Streams.FrameTimeout, CoapCounter.SlowConnections, 1);

        await peer.ReadAbortAsync();
        await UntilAsync(() => Server.Endpoint.FrameAssemblyBytes == 0, () => $"{Server.Endpoint.FrameAssemblyBytes} bytes are accounted.");
        await peer.ReadToAnyEndAsync();
        await CloseAsync([peer]);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public async Task A_new_address_evicts_a_connection_of_addresses_that_fill_MaxCount(int sources)
    {
        Options.Limits.Connections.MaxCount = 8;
        await StartAsync();
        List<AsyncPeer> held = [];
        for (int i = 0; i < 8; i++)
        {
            held.Add(await ConnectFromAsync(i % sources));
        }

        await using AsyncPeer newcomer = await ConnectAsync();
        await newcomer.SendAsync(GetX);
        await newcomer.ExpectAsync(AnswerX);
        await UntilAsync(CoapCounter.ConnectionsEvicted, 1);
        Assert.Equal(0, Count(CoapCounter.ConnectionsRefused));
        await UntilAsync(() => Server.Endpoint.Connections.Count == 8, () => $"{Server.Endpoint.Connections.Count} connections are held.");
        await CloseAsync(held, newcomer);
    }

    [Fact]
    public async Task A_connection_with_a_running_request_is_kept_and_silent_and_idle_connections_are_evicted()
    {
        Options.Limits.Connections.MaxCount = 3;
        TaskCompletionSource<CoapResult> late = new(RunContinuationsAsynchronously);
        Server.MapGet("/late", () => late.Task);
        await StartAsync();
        await using AsyncPeer busy = await ConnectFromAsync(0);
        await busy.SendAsync("5101aab46c617465");
        await UntilAsync(() => Server.Endpoint.Served.Count == 1, static () => "It is not served.");
        await using AsyncPeer idle = await ConnectFromAsync(0);

        // Until its CSM was read it counts as silent itself.
        await idle.SendAsync(GetX);
        await idle.ExpectAsync(AnswerX);
        await using AsyncPeer silent = await ConnectRawAsync(from: IPAddress.Parse("127.0.0.2"));
        await UntilAsync(CoapCounter.ConnectionsAccepted, 3);

        await using AsyncPeer first = await ConnectAsync();
        await silent.ReadToAnyEndAsync();
        await first.SendAsync(GetX);
        await first.ExpectAsync(AnswerX);
        await using AsyncPeer second = await ConnectRawAsync(from: IPAddress.Parse("127.0.0.3"));
        await second.SendAsync(LargeCsm);
        await idle.ReadToAnyEndAsync();

        late.SetResult(CoapResults.Text("hi"));
        await busy.ExpectAsync(AnswerX);
        Assert.Equal(2, Count(CoapCounter.ConnectionsEvicted));
        await CloseAsync([busy, idle, silent, first, second]);
    }

    [Fact]
    public async Task An_address_evicts_its_own_connections_only_after_an_idle_time()
    {
        Options.Limits.Connections.MaxCountPerSource = 2;
        await StartAsync();
        await using AsyncPeer first = await ConnectAsync();
        await using AsyncPeer second = await ConnectAsync();

        // Its CSM was read, so that it is not late when time passes.
        await first.SendAsync(GetX);
        await first.ExpectAsync(AnswerX);
        Clock.Advance(FromSeconds(9));
        await second.SendAsync(GetX);
        await second.ExpectAsync(AnswerX);
        Clock.Advance(FromSeconds(2));

        await using AsyncPeer third = await ConnectAsync();
        await first.ReadToAnyEndAsync();
        await second.SendAsync(GetX);
        await second.ExpectAsync(AnswerX);
        Assert.Equal(1, Count(CoapCounter.ConnectionsEvicted));
        await using AsyncPeer fourth = await ConnectRawAsync();
        await fourth.ReadToAnyEndAsync();
        await UntilAsync(CoapCounter.ConnectionsRefused, 1);
        await CloseAsync([first, second, third, fourth]);
    }

    /// <summary>A peer of another address than that of the others, whose CSM was sent and that has ours.</summary>
    private protected async Task<AsyncPeer> ConnectFromAsync(int source, int? receiveBuffer = null)
    {
        AsyncPeer peer = await ConnectRawAsync(receiveBuffer: receiveBuffer, from: IPAddress.Parse($"127.0.0.{2 + source}"));
        await peer.SendAsync(LargeCsm);
        Assert.Equal(CoapCode.Csm, (await peer.ReadMessageAsync()).Code);
        return peer;
    }

    private protected async Task CloseAsync(IEnumerable<AsyncPeer> peers, params AsyncPeer[] more)
    {
        foreach (AsyncPeer peer in peers.Concat(more))
        {
            await peer.DisposeAsync();
        }

        await AssertNothingLeftAsync();
    }
}
