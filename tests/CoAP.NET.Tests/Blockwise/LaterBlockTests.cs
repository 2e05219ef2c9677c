using System.Diagnostics;
using CoAP.NET.Diagnostics;
using CoAP.NET.Resources;
using CoAP.NET.Tests.Diagnostics;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>
/// The later blocks of a response whose body is a stream or file belong to the request for the first one: one run of filters and handler,
/// one permit, one span, one measurement.
/// </summary>
[Collection(TelemetryCollection.Name)]
public sealed class LaterBlockTests : BlockwiseTest
{
    private readonly List<string> _paths = [];
    private int _filtered;
    private int _limited;
    private int _runs;

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _paths.ForEach(File.Delete);
    }

    [Fact]
    public async Task A_download_of_2_MiB_takes_a_single_permit_and_a_single_run_of_filter_and_handler()
    {
        string path = NewFile(2 << 20);
        Map("/x", () => CoapResults.File(path)).RequireRateLimiting(_ => ++_limited > 20 ? FromSeconds(1) : null);
        await StartAsync();
        Assert.Equal(Body(2 << 20), await DownloadFileAsync("x", Peer));
        Assert.Equal((1, 1, 1), (_limited, _filtered, _runs));
        AssertAllFreed();
    }

    [Fact]
    public async Task A_download_is_one_span_with_its_size_and_blocks_and_one_measurement()
    {
        List<Activity> spans = [];
        using ActivityListener listener = new()
        {
            ShouldListenTo = static source => source.Name == CoapTelemetry.ActivitySourceName,
            Sample = static (ref _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = spans.Add,
        };
        ActivitySource.AddActivityListener(listener);
        using MetricCapture metrics = new();
        Options.Telemetry.MeterFactory = metrics;
        Server.MapGet("/stream", () => CoapResults.Stream(new MemoryStream(Body(100_000)), CoapETag.FromVersion(1)));
        Server.MapGet("/memory", () => CoapResults.Bytes(Body(100_000)));
        metrics.Listen();
        await StartAsync();
        foreach (string path in (string[])["stream", "memory"])
        {
            Assert.Equal(Body(100_000), Download(path));
        }

        Assert.All(spans,
            span => Assert.Equal((100_000L, 98L), (span.GetTagItem("coap.response.body.size"), span.GetTagItem("coap.response.blocks"))));
        Assert.Equal(["GET /stream", "GET /memory"], spans.Select(static span => span.DisplayName));
        Assert.Equal(2, metrics.Read("coap.server.request.duration").Count);
    }

    [Fact]
    public async Task A_later_block_passes_the_filters_when_its_peer_did_not_get_the_first_block()
    {
        string path = NewFile(5000);
        Map("/x", () => CoapResults.File(path));
        await StartAsync();
        await SendLateAsync(At("x", 0), Peer);
        Assert.Equal((1, 1), (_filtered, _runs));

        // Another peer, and another request of the same one.
        Assert.Equal(CoapCode.Content, (await SendLateAsync(At("x", 3), Other)).Code);
        Assert.Equal((2, 2), (_filtered, _runs));
        Assert.Equal(CoapCode.Content, (await SendLateAsync(At("x", 3, "q"), Peer)).Code);
        Assert.Equal((3, 3), (_filtered, _runs));

        // Each of them goes on by itself then.
        Assert.Equal(CoapCode.Content, (await SendLateAsync(At("x", 4), Other)).Code);
        Assert.Equal(CoapCode.Content, (await SendLateAsync(At("x", 1), Peer)).Code);
        Assert.Equal((3, 3), (_filtered, _runs));
        AssertAllFreed();
    }

    [Fact]
    public async Task A_transfer_without_progress_ends_and_the_next_block_runs_filter_and_handler_again()
    {
        string path = NewFile(5000);
        Map("/x", () => CoapResults.File(path));
        await StartAsync();
        await SendLateAsync(At("x", 0), Peer);
        await SendLateAsync(At("x", 1), Peer);
        for (int i = 0; i < 30; i++)
        {
            // The same block again is no progress.
            Clock.Advance(FromSeconds(10));
            await SendLateAsync(At("x", 1), Peer);
        }

        Assert.Equal((2, 2), (_filtered, _runs));
    }

    [Fact]
    public async Task An_open_file_that_is_overwritten_during_a_download_makes_the_handler_run_again()
    {
        string path = NewFile(5000);
        int version = 0;
        Map("/x", () => CoapResults.Stream(
            new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite), CoapETag.FromVersion((ulong)++version)));
        await StartAsync();
        await SendLateAsync(At("x", 0), Peer);
        Assert.Equal(Body(5000)[1024..2048], (await SendLateAsync(At("x", 1), Peer)).Payload.ToArray());
        Assert.Equal(1, version);

        // As long as before.
        using (FileStream written = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            written.Write(new byte[5000]);
        }

        File.SetLastWriteTimeUtc(path, File.GetLastWriteTimeUtc(path).AddSeconds(1));
        CoapMessage later = await SendLateAsync(At("x", 2), Peer);

        Assert.Equal(CoapETag.FromVersion(2).ToArray(), later.Options.ETag!.Value.ToArray());
        Assert.Equal(new byte[1024], later.Payload.ToArray());
        AssertAllFreed();
    }

    [Fact]
    public async Task A_file_that_changes_during_a_download_makes_the_handler_run_again()
    {
        string path = NewFile(5000);
        Map("/x", () => CoapResults.File(path));
        await StartAsync();
        byte[] before = (await SendLateAsync(At("x", 0), Peer)).Options.ETag!.Value.ToArray();
        await File.WriteAllBytesAsync(path, Body(5001));
        CoapMessage later = await SendLateAsync(At("x", 1), Peer);
        Assert.NotEqual(before, later.Options.ETag!.Value.ToArray());
        Assert.Equal(Body(5001)[1024..2048], later.Payload.ToArray());
        Assert.Equal((2, 2), (_filtered, _runs));
        File.Delete(path);
        Assert.Equal(CoapCode.NotFound, (await SendLateAsync(At("x", 2), Peer)).Code);
        Assert.Equal((3, 3), (_filtered, _runs));
        AssertAllFreed();
    }

    [Fact]
    public async Task Abandoned_response_streams_are_closed_and_their_number_is_bounded()
    {
        Options.Limits.Blockwise.ResponseMemory = 4 << 20;
        int open = 0;
        int most = 0;
        Server.MapGet("/x/{id}", () =>
        {
            most = Math.Max(most, ++open);
            return CoapResults.Stream(new Closing(Body(5000), () => open--), CoapETag.FromVersion(1));
        });
        await StartAsync();
        for (int i = 0; i < 200; i++)
        {
            Get($"x/{i}").Gives(CoapCode.Content);
        }

        // A quarter of 4 MiB, each counted as 64 KiB and a little, and the one that is being answered.
        Assert.InRange(most, 10, 17);

        // Those for which there is no room are served by running the handler.
        Assert.Equal(Body(5000)[2048..3072], Get("x/199", new BlockValue(2, false, 6)).Payload.ToArray());
        AssertAllFreed();
        Assert.Equal(0, open);
    }

    [Theory]
    [InlineData(typeof(IOException))]
    [InlineData(typeof(ObjectDisposedException))]
    [InlineData(typeof(OperationCanceledException))]
    public async Task A_stream_that_fails_in_a_later_block_is_logged_as_an_error_and_the_next_request_is_served(Type error)
    {
        bool fails = false;
        Exception thrown = error == typeof(ObjectDisposedException)
            ? new ObjectDisposedException("broken")
            : (Exception)Activator.CreateInstance(error)!;
        Server.MapGet("/x",
            () => CoapResults.Stream(new Closing(Body(5000), static () => { }, () => fails ? thrown : null), CoapETag.FromVersion(1)));
        await StartAsync();
        Get("x").Gives(CoapCode.Content);
        fails = true;
        Get("x", new BlockValue(1, false, 6)).Gives(CoapCode.InternalServerError);
        Assert.Single(Logs.Entries, entry => entry.Id.Id == 1500).Text.Mentions("/x");
        Assert.Equal(1, Server.Counters[CoapCounter.HandlerErrors]);
        fails = false;
        Assert.Equal(Body(5000), Download("x"));
        AssertAllFreed();
    }

    [Theory]
    [InlineData(1000, false)]
    [InlineData(5000, false)]
    [InlineData(5000, true)]
    public async Task A_stream_is_closed_after_its_last_block_and_a_failed_close_is_logged_without_changing_the_response(
        int size, bool fails)
    {
        int closed = 0;
        Server.MapGet("/x", () => CoapResults.Stream(
            new Closing(Body(size), () =>
            {
                closed++;
                _ = fails ? throw new IOException("cannot be closed") : false;
            }),
            CoapETag.FromVersion(1)));
        await StartAsync();
        Assert.Equal(Body(size), Download("x"));
        Assert.Equal(1, closed);
        Assert.Equal(fails ? 1 : 0, Logs.Entries.Count(entry => entry.Id.Id == 1544));
        Assert.Equal(fails ? 1 : 0, Server.Counters[CoapCounter.HandlerErrors]);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_stream_stays_open_when_its_last_block_is_fetched_before_an_earlier_block()
    {
        int runs = 0;
        int closed = 0;
        Server.MapGet("/x", () =>
        {
            runs++;
            return CoapResults.Stream(new Closing(Body(5000), () => closed++), CoapETag.FromVersion(1));
        });
        await StartAsync();
        foreach (int number in (int[])[0, 1, 2, 4])
        {
            Get("x", new BlockValue(number, false, 6));
        }

        Assert.Equal((1, 0), (runs, closed));
        Assert.Equal(Body(5000)[3072..4096], Get("x", new BlockValue(3, false, 6)).Payload.ToArray());
        Assert.Equal(1, runs);
        AssertAllFreed();
        Assert.Equal(1, closed);
    }

    [Fact]
    public async Task A_file_is_read_for_its_tag_once_and_two_copies_of_it_have_the_same_tag()
    {
        string one = NewFile(300_000);
        string two = NewFile(300_000);
        File.SetLastWriteTimeUtc(two, new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc));
        Server.MapGet("/one", () => CoapResults.File(one));
        Server.MapGet("/two", () => CoapResults.File(two));
        await StartAsync();
        byte[] tag = (await SendLateAsync(At("one", 0), Peer)).Options.ETag!.Value.ToArray();
        Assert.Equal(CoapETag.FromContent(Body(300_000)).ToArray(), tag);
        Assert.Equal(tag, (await SendLateAsync(At("two", 0), Peer)).Options.ETag!.Value.ToArray());
        int read = FileEntityTagCache.TimesRead(one);
        for (int i = 0; i < 10; i++)
        {
            await SendLateAsync(At("one", 0), Other);
        }

        Assert.Equal((1, 1), (read, FileEntityTagCache.TimesRead(one)));
        await File.WriteAllBytesAsync(one, Body(300_001));
        Assert.NotEqual(tag, (await SendLateAsync(At("one", 0), Other)).Options.ETag!.Value.ToArray());
    }

    private static CoapMessage At(string path, int number, string? query = null) => Message(CoapMethod.Get, path, options =>
    {
        options.Block2 = new BlockValue(number, false, 6);
        if (query is not null)
        {
            options.Add(new UriQueryOption(query));
        }
    });

    private CoapRouteHandlerBuilder Map(string path, Func<CoapResult> handler) => Server.MapGet(path, () =>
    {
        _runs++;
        return handler();
    }).AddFilter((request, next, cancellationToken) =>
    {
        _filtered++;
        return next(request, cancellationToken);
    });

    private string NewFile(int size)
    {
        string path = Path.GetTempFileName();
        _paths.Add(path);
        File.WriteAllBytes(path, Body(size));
        return path;
    }

    private async Task<byte[]> DownloadFileAsync(string path, CoapAddress peer)
    {
        MemoryStream body = new();
        for (int number = 0; ; number++)
        {
            CoapMessage answer = await SendLateAsync(At(path, number), peer);
            Assert.Equal(CoapCode.Content, answer.Code);
            body.Write(answer.Payload.Span);
            if (!answer.Options.Block2!.Value.More)
            {
                return body.ToArray();
            }
        }
    }

    private sealed class Closing(byte[] bytes, Action closed, Func<Exception?>? fails = null) : MemoryStream(bytes, writable: false)
    {
        private bool _isClosed;

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            fails?.Invoke() is { } error ? ValueTask.FromException<int>(error) : base.ReadAsync(buffer, cancellationToken);

        protected override void Dispose(bool disposing)
        {
            if (!_isClosed)
            {
                _isClosed = true;
                closed();
            }

            base.Dispose(disposing);
        }
    }
}
