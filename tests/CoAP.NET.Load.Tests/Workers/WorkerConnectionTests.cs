using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Workers;
using CoAP.NET.Testing;

namespace CoAP.NET.Load.Tests;

public sealed class WorkerConnectionTests
{
    [Fact]
    public async Task Every_message_is_read_back_as_it_was_sent()
    {
        WorkerMessage[] messages =
        [
            new HelloMessage(1, "w\u00f6rd\n"),
            new HelloMessage(1),
            new WelcomeMessage(1, "m"),
            new PlanMessage(Plans.Closed with { Loop = LoadPacing.Observe, Payload = "a\nb", ServerProcess = 3 }),
            new ReadyMessage(),
            new StartMessage(),
            new ProgressMessage(Ticks.Measuring),
            new ErrorMessage("k", "t"),
            new CancelMessage(),
        ];
        using MemoryStream stream = new();
        WorkerConnection connection = new(stream, TimeProvider.System);
        foreach (WorkerMessage message in messages)
        {
            await connection.SendAsync(message, CancellationToken.None);
        }

        Assert.Equal(messages.Length, Encoding.UTF8.GetString(stream.ToArray()).Count(c => c == '\n'));
        stream.Position = 0;
        foreach (WorkerMessage message in messages)
        {
            Assert.Equal(message, await ReadAsync(connection));
        }

        Assert.Null(await ReadAsync(connection));
    }

    [Fact]
    public async Task A_result_is_read_back_as_it_was_sent()
    {
        LoadResult result = Results.Of(Plans.Closed, 7) with
        {
            Errors = new Dictionary<string, long> { ["5.03"] = 2 },
            Converged = 3,
            ServerResidentBytes = 9
        };
        using MemoryStream stream = new();
        WorkerConnection connection = new(stream, TimeProvider.System);
        await connection.SendAsync(new ResultMessage(result), CancellationToken.None);
        stream.Position = 0;
        LoadResult again = Assert.IsType<ResultMessage>(await ReadAsync(connection)).Result;
        Assert.Equal(result.Errors, again.Errors);
        Assert.Equal(result.Times, again.Times);
        Assert.Equal(result.Series, again.Series);
        Assert.Equal(result with { Errors = again.Errors, Times = again.Times, Series = again.Series, ChangeTimes = again.ChangeTimes },
            again);
    }

    [Theory]
    [InlineData("")]
    [InlineData("GET / HTTP/1.1")]
    [InlineData("null")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("{\"type\":1}")]
    [InlineData("{\"type\":\"other\"}")]
    [InlineData("{\"type\":\"hello\"}")]
    [InlineData("{\"type\":\"hello\",\"version\":\"1\"}")]
    [InlineData("{\"type\":\"plan\",\"plan\":null}")]
    [InlineData("{\"type\":\"plan\",\"plan\":{\"peers\":1}}")]
    [InlineData("{\"type\":\"plan\",\"plan\":{\"uri\":null}}")]
    [InlineData("{\"type\":\"tick\",\"tick\":{\"phase\":null,\"elapsed\":\"00:00:01\",\"whole\":\"00:00:01\",\"peers\":1,\"perSecond\":1,\"p50\":1,\"p99\":1,\"errors\":1,\"lost\":1}}")]
    [InlineData("{\"type\":\"ready\"} {\"type\":\"ready\"}")]
    public async Task An_invalid_line_is_reported_and_the_next_line_is_read(string line)
    {
        WorkerConnection connection = Of(line + "\n" + Lines.Ready + "\n");
        Assert.Equal(WorkerProtocolErrorCodes.Protocol,
            (await Assert.ThrowsAsync<DistributedRunException>(() => ReadAsync(connection))).Kind);
        Assert.IsType<ReadyMessage>(await ReadAsync(connection));
    }

    [Fact]
    public async Task A_line_that_is_not_UTF_8_is_invalid()
    {
        WorkerConnection connection = new(new MemoryStream([0xFF, 0x00, 0xC3, (byte)'\n']), TimeProvider.System);
        Assert.Equal(WorkerProtocolErrorCodes.Protocol,
            (await Assert.ThrowsAsync<DistributedRunException>(() => ReadAsync(connection))).Kind);
    }

    [Fact]
    public async Task Fields_of_a_later_version_are_ignored_and_the_order_of_fields_is_free() =>
        Assert.Equal(new HelloMessage(2, "k"), await ReadAsync(Of("""{"version":2,"more":[1,{}],"key":"k","type":"hello"}""" + "\n")));

    [Theory]
    [InlineData(WorkerConnection.LineLimit, true)]
    [InlineData(WorkerConnection.LineLimit + 1, false)]
    public async Task The_length_of_a_line_is_limited_to_64_KiB(int length, bool allowed)
    {
        string line = Lines.Ready + new string(' ', length - Lines.Ready.Length) + "\n";
        foreach (int limit in (int[])[WorkerConnection.LineLimit, WorkerConnection.ResultLimit])
        {
            Task<WorkerMessage?> reading = Of(line).ReadAsync(limit, FromSeconds(30), CancellationToken.None);
            if (allowed)
            {
                Assert.IsType<ReadyMessage>(await reading);
            }
            else
            {
                (await Assert.ThrowsAsync<DistributedRunException>(() => reading)).Mentions("65,536");
            }
        }
    }

    [Fact]
    public async Task An_endless_line_is_not_read_beyond_its_limit()
    {
        using EndlessStream endless = new();
        WorkerConnection connection = new(endless, TimeProvider.System);
        Assert.Equal(WorkerProtocolErrorCodes.Protocol,
            (await Assert.ThrowsAsync<DistributedRunException>(() => ReadAsync(connection))).Kind);
        Assert.InRange(endless.Given, WorkerConnection.LineLimit, WorkerConnection.LineLimit * 3);
    }

    [Fact]
    public async Task A_result_may_have_at_most_16_MiB()
    {
        using EndlessStream endless = new();
        WorkerConnection connection = new(endless, TimeProvider.System);
        Assert.Contains("16,777,216",
            (await Assert.ThrowsAsync<DistributedRunException>(() =>
                connection.ReadAsync(WorkerConnection.ResultLimit, FromSeconds(30), CancellationToken.None))).Message,
            Ordinal);
        Assert.InRange(endless.Given, WorkerConnection.ResultLimit, WorkerConnection.ResultLimit + (4 * WorkerConnection.LineLimit));

        LoadResult large = Results.Of(Plans.Closed, 1) with
        {
            Series = [.. Enumerable.Range(1, 5000).Select(i => new LoadSecond(i, 1000.5, 1.25, 2.5))]
        };
        using MemoryStream stream = new();
        WorkerConnection sender = new(stream, TimeProvider.System);
        await sender.SendAsync(new ResultMessage(large), CancellationToken.None);
        Assert.True(stream.Length > WorkerConnection.LineLimit);
        stream.Position = 0;
        Assert.Equal(5000,
            Assert.IsType<ResultMessage>(await sender.ReadAsync(WorkerConnection.ResultLimit, FromSeconds(30),
                CancellationToken.None)).Result.Series.Count);
    }

    [Fact]
    public async Task A_line_that_exceeds_the_limit_is_not_sent()
    {
        using MemoryStream stream = new();
        WorkerConnection connection = new(stream, TimeProvider.System);
        DistributedRunException refused = await Assert.ThrowsAsync<DistributedRunException>(
            () => connection.SendAsync(new PlanMessage(Plans.Closed with { Payload = new string('x', 70_000) }), CancellationToken.None));
        refused.Message.Begins("plan of 70,");
        Assert.Equal(0, stream.Length);
    }

    [Fact]
    public async Task A_connection_that_ends_in_the_middle_of_a_line_is_lost() =>
        Assert.Equal(WorkerProtocolErrorCodes.Lost,
            (await Assert.ThrowsAsync<DistributedRunException>(() => ReadAsync(Of(Lines.Ready)))).Kind);

    [Fact]
    public async Task Waiting_for_a_silent_peer_ends_with_a_timeout()
    {
        VirtualClock clock = new();
        using SilentStream silent = new();
        Task<WorkerMessage?> reading = new WorkerConnection(silent, clock).ReadAsync(100, FromSeconds(7), CancellationToken.None);
        clock.Advance(FromSeconds(6.9));
        Assert.False(reading.IsCompleted);
        clock.Advance(FromSeconds(0.1));
        DistributedRunException expired = await Assert.ThrowsAsync<DistributedRunException>(() => reading.Guarded());
        Assert.Equal((WorkerProtocolErrorCodes.TimeOut, "it sent nothing for 7 s"), (expired.Kind, expired.Message));
    }

    [Fact]
    public async Task Sending_to_a_peer_that_does_not_read_ends_with_a_timeout()
    {
        VirtualClock clock = new();
        using SilentStream silent = new();
        WorkerConnection connection = new(silent, clock);
        Task sending = connection.SendAsync(new ReadyMessage(), CancellationToken.None);
        Task second = connection.SendAsync(new ReadyMessage(), CancellationToken.None);
        clock.Advance(FromSeconds(10));
        Assert.Equal(WorkerProtocolErrorCodes.TimeOut, (await Assert.ThrowsAsync<DistributedRunException>(() => sending.Guarded())).Kind);
        Assert.Equal(WorkerProtocolErrorCodes.TimeOut, (await Assert.ThrowsAsync<DistributedRunException>(() => second.Guarded())).Kind);
    }

    [Fact]
    public void Text_of_the_peer_cannot_send_control_sequences_to_the_terminal() =>
        Assert.Equal(" [31mred  x...", DistributedRunException.Clean("\u001b[31mred\r\nx and more", 11));

    private static Task<WorkerMessage?> ReadAsync(WorkerConnection connection) =>
        connection.ReadAsync(WorkerConnection.LineLimit, FromSeconds(30), CancellationToken.None);

    private static WorkerConnection Of(string text) => new(new MemoryStream(Encoding.UTF8.GetBytes(text)), TimeProvider.System);

    private sealed class EndlessStream : MemoryStream
    {
        public long Given { get; private set; }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            buffer.Span.Fill((byte)' ');
            Given += buffer.Length;
            return ValueTask.FromResult(buffer.Length);
        }
    }

    private sealed class SilentStream : MemoryStream
    {
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            return 0;
        }

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
    }
}
