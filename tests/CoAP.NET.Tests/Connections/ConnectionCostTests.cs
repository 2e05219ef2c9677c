using System.Net;
using CoAP.NET.Tests.Transports.Streams;
using CoAP.NET.Tests.Transports.Tcp.Linux;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Connections;

// What a plain request costs on a connection. Tests beside these take from the same pools of buffers.
[Collection(VirtualTimeCollection.Name)]
public sealed class ConnectionCostTests : ConnectionTest
{
    [Fact]
    public async Task A_plain_request_allocates_no_more_than_over_UDP()
    {
        CoapResult kept = CoapResults.Text("21.5");
        Server.MapGet("/t", () => kept);
        Server.Endpoint.AddTransport(Transport);
        await StartStreamsAsync();
        Transport.Discards = true;
        QuietConnection connection = new(Streams);
        Assert.True(connection.Open());
        Context.Receive(connection.Frame(BareCsm));
        CoapDatagram[] frames = [.. Enumerable.Repeat(0, 20_000).Select(_ => connection.Frame("2101a1b174"))];
        byte[] request = Wire.Hex("41010001a1b174");
        int next = 0;
        long overUdp = Measure(10_000, i =>
        {
            request[2] = (byte)(next >> 8);
            request[3] = (byte)next++;
            Transport.Receive(CoapAddress.FromIPv4(0xc0000201, 40_000), request);
        });
        long sent = connection.Sent;
        int frame = 0;
        long overStream = Measure(10_000, _ => Context.Receive(frames[frame++]));
        Assert.Equal(20_000, connection.Sent - sent);
        Assert.InRange(overStream, 1, overUdp);
    }

    [LinuxFact]
    public async Task A_plain_request_over_an_inline_connection_allocates_no_more_than_the_mesh_does()
    {
        const int Count = 10_000;
        const int InOneRead = 50;
        CoapResult kept = CoapResults.Text("21.5");
        AllocationMarks marks = new(callsOfPart: 1000);
        Server.MapGet("/t", () =>
        {
            marks.Note();
            return kept;
        });
        CoapTcpTransportOptions options = new() { Engine = CoapSocketEngine.LinuxLoop, HandOverAfter = Timeout.InfiniteTimeSpan };
        options.Endpoints.Add(new IPEndPoint(IPAddress.Loopback, 0));
        CoapTcpTransport tcp = new(options);
        Server.Endpoint.AddTransport(tcp);
        await StartStreamsAsync();
        QuietConnection connection = new(Streams);
        Assert.True(connection.Open());
        Context.Receive(connection.Frame(BareCsm));
        CoapDatagram[] frames = [.. Enumerable.Repeat(0, Count).Select(_ => connection.Frame("2101a1b174"))];
        foreach (CoapDatagram frame in frames)
        {
            Context.Receive(frame);
        }

        double overMesh = marks.TakeLeast();
        using StreamPeer peer = await StreamPeer.ConnectAsync(new IPEndPoint(IPAddress.Loopback, tcp.LocalAddresses[0].Port));
        await peer.ReceiveAsync(OurCsm.Length / 2);
        await peer.SendAsync(BareCsm);

        // Some in one read, which leave with one send.
        byte[] many = Wire.Hex(string.Concat(Enumerable.Repeat("2101a1b174", InOneRead)));
        for (int i = 0; i < Count; i += InOneRead)
        {
            await peer.SendAsync(many);
            await peer.ReceiveAsync(InOneRead * "6145a1c0ff32312e35".Length / 2);
        }

        Assert.Equal(Count, marks.Calls);
        double overTcp = marks.TakeLeast();

        // The loop's watchdog may be woken for a read, which allocates; a single object more for each request would be 24 bytes.
        Assert.InRange(overTcp, 1, overMesh + 16);
    }

    [Fact]
    public async Task A_plain_request_passes_while_another_thread_holds_the_lock_of_the_shard()
    {
        Server.MapGet("/x", () => CoapResults.Text("hi"));
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive("2101aab178");
        connection.TakeSent();
        Task passed;
        connection.Channel!.Shard.Gate.Enter();
        try
        {
            // Waiting must stay on this thread, which holds the lock.
            passed = OnThread(() => connection.Receive("2101aab178"));
#pragma warning disable xUnit1031
            Assert.True(passed.Wait(FromMinutes(2)), "It waits for the lock.");
#pragma warning restore xUnit1031
        }
        finally
        {
            connection.Channel.Shard.Gate.Exit();
        }

        await passed;
        connection.HasSent("4145aac0ff6869");
    }

    private ICoapStreamTransportContext Context => Streams.Context;

    private static long Measure(int count, Action<int> run)
    {
        for (int i = 0; i < count; i++)
        {
            run(i);
        }

        int part = count / Allocations.Runs;
        return Allocations.Least(() =>
        {
            for (int i = 0; i < part; i++)
            {
                run(i);
            }
        }) / part;
    }

    /// <summary>A connection that keeps nothing of what is sent on it.</summary>
    private sealed class QuietConnection(DirectStreamTransport transport)
        : CoapConnection(transport, CoapAddress.FromIPv4(0xc0000201, 41_000), DirectStreamTransport.Local, isInitiator: false)
    {
        public long Sent { get; private set; }

        public override bool IsCongested => false;

        public override CoapConnectionTransferProgress Progress => default;

        public bool Open() => transport.Context.Opened(this);

        public CoapDatagram Frame(string hex)
        {
            byte[] bytes = Wire.Hex(hex);
            CoapDatagram frame = new(bytes.Length)
            {
                Length = bytes.Length,
                Remote = Remote,
                Local = Local,
                Transport = Transport,
                Channel = Channel
            };
            bytes.CopyTo(frame.Buffer, 0);
            return frame;
        }

        public override void Send(CoapDatagram frame)
        {
            Sent++;
            frame.Dispose();
        }

        public override void PauseReading()
        {
        }

        public override void ResumeReading()
        {
        }

        public override void Close(CoapException? reason) => transport.Context.Closed(this, reason);
    }
}
