using System.Text.Json.Nodes;
using CoAP.NET.Explorer.Exploring;
using CoAP.NET.Explorer.Pages;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.Explorer.Tests.Exploring;

public sealed class PacedProgressTests : IDisposable
{
    private readonly MemoryStream _page = new();
    private readonly VirtualClock _clock = new();
    private readonly PageEventWriter _events;

    public PacedProgressTests()
    {
        DefaultHttpContext context = new();
        context.Response.Body = _page;
        _events = new PageEventWriter(context);
    }

    public void Dispose() => _page.Dispose();

    [Fact]
    public async Task The_latest_progress_is_reported_when_a_transfer_pauses()
    {
        using PacedProgress progress = new(_events, _clock);
        Report(progress, 1024, 2048, 3072);
        _clock.Advance(FromMilliseconds(50));

        Assert.Equal("1024 3072", await ToldAsync());
    }

    [Fact]
    public async Task The_progress_of_a_fast_transfer_is_reported_every_50_milliseconds_and_at_its_end()
    {
        using PacedProgress progress = new(_events, _clock);
        for (int i = 1; i <= 100; i++)
        {
            Report(progress, i * 1000);
            _clock.Advance(FromMilliseconds(1));
        }

        Assert.Equal("1000 50000 100000", await ToldAsync());
    }

    [Fact]
    public async Task Pending_progress_is_reported_when_a_transfer_ends_early_and_no_progress_afterwards()
    {
        PacedProgress progress = new(_events, _clock);
        Report(progress, 1024, 2048);
        progress.Dispose();
        Report(progress, 4096);
        _clock.Advance(FromSeconds(1));

        Assert.Equal("1024 2048", await ToldAsync());
    }

    private static void Report(PacedProgress progress, params int[] transferred)
    {
        foreach (int bytes in transferred)
        {
            progress.Report(new CoapProgress { BytesTransferred = bytes, TotalBytes = 100_000 });
        }
    }

    private async Task<string> ToldAsync()
    {
        _events.Complete();
        await _events.SendAsync();
        string[] lines = Encoding.UTF8.GetString(_page.ToArray()).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        return string.Join(' ', lines.Select(line => JsonNode.Parse(line)!["transferred"]));
    }
}
