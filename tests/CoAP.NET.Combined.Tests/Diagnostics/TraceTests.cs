using System.Net;
using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tracing;

namespace CoAP.NET.Tests.Diagnostics;

public sealed class TraceTests : EndpointTest
{
    private readonly MemoryStream _file = new();

    [Fact]
    public async Task A_trace_contains_received_and_sent_messages_with_addresses_and_redacted_payloads()
    {
        Server.MapPut("/t", static request => CoapResults.Changed(CoapContent.Text(request.GetText())));
        await StartAsync();
        Exchange("40030001b174ff6869");
        CoapTrace trace = Server.Endpoint.TraceTo(_file);
        DateTimeOffset time = Clock.GetUtcNow();
        string answer = Exchange("40030002b174ff6869");
        await trace.DisposeAsync();
        Exchange("40030003b174ff6869");
        answer.Ends("ff6869");

        PcapngReader read = new(_file.ToArray());
        read.Application.Begins("CoAP.NET");
        Assert.Equal(["coap"], read.Interfaces);
        Assert.Equal(
            [
                new PcapngReader.Packet("coap", time, true, "192.0.2.1:40000", "127.0.0.1:5683", null, null, "40030002b174ff0000"),
                new PcapngReader.Packet("coap", time, false, "127.0.0.1:5683", "192.0.2.1:40000", null, null, answer[..^4] + "0000"),
            ],
            read.Packets);
        Assert.Equal((0, 2L, 0L), Assert.Single(read.Statistics));
        Assert.Equal((2, 0, _file.Length), (trace.Messages, trace.Dropped, trace.BytesWritten));
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(40_001, true)]
    [InlineData(40_002, false)]
    public async Task A_trace_of_a_peer_contains_only_its_messages_with_payloads_when_requested(int port, bool isIt)
    {
        Server.MapGet("/", () => "x");
        await StartAsync();
        await using (Server.Endpoint.TraceTo(_file,
            new CoapTraceOptions { Peer = new IPEndPoint(IPAddress.Parse("192.0.2.2"), port), IncludePayload = true }))
        {
            Transport.Receive(Peer, "40010001");
            Transport.Receive(Other, "40010001");
        }

        PcapngReader read = new(_file.ToArray());
        string[] expected = isIt ? ["40010001", "60450001c0ff78"] : [];
        Assert.Equal(expected, read.Packets.Select(static packet => packet.Data));
        Assert.All(read.Packets, static packet => Assert.Contains("192.0.2.2:40001", new[] { packet.Source, packet.Destination }));
    }

    [Fact]
    public async Task A_trace_does_not_exceed_MaxBytes_and_counts_the_omitted_messages()
    {
        Server.MapGet("/", () => "x");
        await StartAsync();
        CoapTrace trace = Server.Endpoint.TraceTo(_file, new CoapTraceOptions { MaxBytes = 4096 });
        for (int i = 0; i < 100; i++)
        {
            Exchange($"400100{i:x2}");
        }

        await trace.DisposeAsync();
        PcapngReader read = new(_file.ToArray());
        Assert.InRange(_file.Length, 3000, 4096);
        Assert.Equal((0, 200L, trace.Dropped), Assert.Single(read.Statistics));
        Assert.Equal(200, read.Packets.Count + trace.Dropped);
    }

    [Fact]
    public async Task A_trace_stream_is_not_written_to_without_a_message()
    {
        await StartAsync();
        RecordingStream stream = new(_file);

        await Within(Server.Endpoint.TraceTo(stream).DisposeAsync().AsTask());

        // The head, and nothing of messages or interfaces: there were none.
        Assert.Equal([(int)_file.Length], stream.Writes);
        Assert.NotEqual(0, _file.Length);
    }

    [Fact]
    public async Task A_blocked_trace_stream_does_not_block_the_endpoint()
    {
        Server.MapGet("/", () => "x");
        await StartAsync();
        GatedStream gated = new(_file);
        CoapTrace trace = Server.Endpoint.TraceTo(gated, new CoapTraceOptions { MaxQueuedBytes = 4096 });
        for (int i = 0; i < 1000; i++)
        {
            Exchange($"4001{i:x4}");
        }

        Assert.InRange(trace.Dropped, 1, 1999);
        gated.Open.SetResult();
        await Within(trace.DisposeAsync().AsTask());
        PcapngReader read = new(_file.ToArray());
        Assert.Equal(2000, read.Packets.Count + trace.Dropped);
        Assert.Equal(trace.Dropped, Assert.Single(read.Statistics).Dropped);
    }

    [Fact]
    public async Task A_failing_trace_stream_ends_only_the_trace()
    {
        Server.MapGet("/", () => "x");
        await StartAsync();
        CoapTrace trace = Server.Endpoint.TraceTo(new FailingStream());
        Exchange("40010001");
        await Within(trace.DisposeAsync().AsTask());
        Exchange("40010002");
        Assert.Contains(Logs.Entries, static entry => entry.Id.Id == 1621);
        Assert.Throws<ArgumentException>(() => Server.Endpoint.TraceTo(new MemoryStream([], writable: false)));
    }

    [Fact]
    public async Task A_connection_is_traced_from_its_first_message_without_gaps()
    {
        await using CoapServer server = new();
        server.Listen("coap+tcp://127.0.0.1:0");
        server.MapGet("/", () => "secret");
        await server.StartAsync();
        await using (server.Endpoint.TraceTo(_file))
        {
            await using CoapClient client = new();
            await Within(client.Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, server.LocalEndpoints[0])));
        }

        PcapngReader read = new(_file.ToArray());
        Assert.Equal(["coap+tcp"], read.Interfaces);
        foreach (IGrouping<bool, PcapngReader.Packet> direction in read.Packets.GroupBy(static packet => packet.IsInbound))
        {
            uint next = 1;
            foreach (PcapngReader.Packet packet in direction)
            {
                Assert.Equal(next, packet.Sequence);
                next += (uint)packet.Data.Length / 2;
            }

            // The first is the CSM, code 7.01.
            string first = direction.First().Data;
            Assert.Equal("e1", first.Substring(first[0] == 'd' ? 4 : 2, 2));
        }

        Assert.Contains(read.Packets,
            static packet => !packet.IsInbound && packet.Data.EndsWith("ff000000000000", Ordinal));
        Assert.All(read.Packets,
            packet => Assert.EndsWith(server.LocalEndpoints[0].Port.ToString(System.Globalization.CultureInfo.InvariantCulture),
                packet.IsInbound ? packet.Destination : packet.Source, Ordinal));
    }

    [Fact]
    public void Messages_of_a_connection_are_one_stream_in_each_direction()
    {
        System.Buffers.ArrayBufferWriter<byte> output = new();
        TracePacketWriter format = new();
        TracePacketWriter.Begin(output);
        PcapngBlocks.WriteInterface(output, "coap+tcp", "x");
        CoapAddress peer = CoapAddress.FromIPEndPoint(IPEndPoint.Parse("[2001:db8::1]:50000"));
        CoapAddress local = CoapAddress.FromIPEndPoint(IPEndPoint.Parse("[2001:db8::2]:5683"));
        format.Write(output, new TracedMessage(new byte[100_001], 1, 0, peer, local, IsStream: true, IsInbound: true));
        format.Write(output, new TracedMessage(Wire.Hex("0045"), 2, 0, peer, local, IsStream: true, IsInbound: false));
        format.Write(output, new TracedMessage(Wire.Hex("0001"), 3, 0, peer, local, IsStream: true, IsInbound: true));
        PcapngReader read = new(output.WrittenSpan.ToArray());
        Assert.Equal([(1u, 1u), (60_001u, 1u), (1u, 100_002u), (100_002u, 3u)],
            read.Packets.Select(static packet => (packet.Sequence!.Value, packet.Acknowledgement!.Value)));
        Assert.Equal("2001:db8::1:50000", read.Packets[0].Source);
    }

    [Theory]
    [InlineData("0001", "0001")]
    [InlineData("014511ffaabb", "314511ffaabb")]
    [InlineData("0045ff00112233445566778899aabbcc", "d00145ff00112233445566778899aabbcc")]
    public void The_length_that_WebSocket_frames_leave_out_is_filled_in(string frame, string written) =>
        Assert.Equal(written, Wire.Hex(TracePacketWriter.WithLength(Wire.Hex(frame))));

    [Theory]
    [InlineData("", false, "")]
    [InlineData("400100", false, "400100")]
    [InlineData("40010001", false, "40010001")]
    [InlineData("40010001b174ffaabb", false, "40010001b174ff0000")]
    [InlineData("42010001ffffb174ffaabb", false, "42010001ffffb174ff0000")]
    [InlineData("4d01000100ffffffffffffffffffffffffffb174ffaa", false, "4d01000100ffffffffffffffffffffffffffb174ff00")]
    [InlineData("40010001bd014142434445464748495051525354ffaa", false, "40010001bd014142434445464748495051525354ff00")]
    [InlineData("40010001f1aabb", false, "40010001000000")]
    [InlineData("40010001b5aabb", false, "40010001000000")]
    [InlineData("5145aab174ff11", true, "5145aab174ff00")]
    [InlineData("d00245ff11", true, "d00245ff00")]
    public void Payloads_and_possible_payloads_are_redacted(string message, bool isStream, string blanked)
    {
        byte[] bytes = Wire.Hex(message);
        PayloadRedaction.Apply(bytes, isStream);
        Assert.Equal(blanked, Wire.Hex(bytes));
    }

    [Fact]
    public void Redacting_the_payload_of_any_bytes_ends_and_stays_within_their_length()
    {
        Random random = new(1);
        for (int i = 0; i < 20_000; i++)
        {
            byte[] bytes = new byte[random.Next(40)];
            random.NextBytes(bytes);
            Assert.InRange(PayloadRedaction.StartOf(bytes, i % 2 == 0), 0, bytes.Length);
            if (i % 2 == 0)
            {
                Assert.True(TracePacketWriter.WithLength(bytes).Length >= bytes.Length);
            }
        }
    }

    private sealed class GatedStream(Stream inner) : FailingStream
    {
        public TaskCompletionSource Open { get; } = new(RunContinuationsAsynchronously);

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Open.Task;
            await inner.WriteAsync(buffer, cancellationToken);
        }
    }

    private sealed class RecordingStream(Stream inner) : FailingStream
    {
        /// <summary>The lengths of the writes.</summary>
        public List<int> Writes { get; } = [];

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Writes.Add(buffer.Length);
            return inner.WriteAsync(buffer, cancellationToken);
        }
    }

    private class FailingStream : Stream
    {
        public override bool CanRead => false;

        public override bool CanSeek => false;

        public override bool CanWrite => true;

        public override long Length => throw new NotSupportedException();

        public override long Position { get; set; }

        public override void Flush()
        {
        }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
            throw new IOException("full");

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    }
}
