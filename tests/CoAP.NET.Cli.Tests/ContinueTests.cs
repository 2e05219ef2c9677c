using System.Diagnostics;
using System.Globalization;
using CoAP.NET.Explorer.Exploring;

namespace CoAP.NET.Cli.Tests;

/// <summary>Downloads to a file that an interruption divides into several runs.</summary>
public sealed class ContinueTests : FolderTest
{
    private readonly TaskCompletionSource _reached = new(RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _released = new(RunContinuationsAsynchronously);
    private readonly List<long> _offsets = [];
    private byte[] _body = Enumerable.Range(0, 20_000).Select(number => (byte)(number * 31 >> 3)).ToArray();
    private bool _hasETag = true;
    private long _stallsAt = long.MaxValue;

    private string Target => Path.Combine(Folder, "tool.bin");

    private string Part => Target + ".part";

    [Theory]
    [InlineData("1024", 1024)]
    [InlineData("64", 64)]
    public async Task A_killed_download_resumes_at_its_last_block(string size, int bytes)
    {
        await using CoapServer server = await ServeAsync();
        _stallsAt = 12 * 1024;
        string uri = $"{server.LocalEndpoints[0]}firmware";
        using (Process tool = Process.Start(new ProcessStartInfo(
            "dotnet", [Path.Combine(AppContext.BaseDirectory, "coap.dll"), "get", uri, "-o", Target, "-b", size])
        {
            RedirectStandardError = true,
            RedirectStandardOutput = true,
        })!)
        {
            await Task.WhenAny(_reached.Task, tool.WaitForExitAsync());
            tool.Kill();
            await tool.WaitForExitAsync();
        }

        Assert.Equal(12 * 1024, new FileInfo(Part).Length);
        Assert.False(File.Exists(Target));
        Release();
        _offsets.Clear();

        CliRun run = await CliHarness.RunAsync("get", uri, "-o", Target, "--continue", "-b", size);

        AssertComplete(run);
        run.HasError("Continues after 12288 B");
        Assert.Equal((12 * 1024) - bytes, _offsets[0]);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(1025)]
    [InlineData(4095)]
    [InlineData(20_000)]
    public async Task A_partial_file_of_any_length_is_resumed(int length)
    {
        await using CoapServer server = await ServeAsync();
        string uri = await InterruptAsync(server);
        File.WriteAllBytes(Part, _body[..length]);

        CliRun run = await CliHarness.RunAsync("get", uri, "-o", Target, "--continue");

        AssertComplete(run);
        run.HasError($"Continues after {length} B");
    }

    [Fact]
    public async Task The_progress_of_a_resumed_download_is_that_of_the_whole_file()
    {
        _body = [.. Enumerable.Range(0, 80_000).Select(number => (byte)(number * 31 >> 3))];
        await using CoapServer server = await ServeAsync();
        string uri = await InterruptAsync(server);
        File.WriteAllBytes(Part, _body[..40_960]);

        CliRun run = await new CliHarness { IsTerminal = true }.InvokeAsync("get", uri, "-o", Target, "--continue");

        AssertComplete(run);
        run.HasError("78.1 KiB");
        string[] shares = [.. Regex.Matches(run.Error, @"(\d+)%").Select(match => match.Groups[1].Value)];
        Assert.NotEmpty(shares);
        Assert.All(shares, share => Assert.InRange(int.Parse(share, CultureInfo.InvariantCulture), 51, 100));
    }

    [Theory]
    [InlineData("coap")]
    [InlineData("coap+tcp")]
    public async Task A_partial_download_is_resumed_over_each_transport(string scheme)
    {
        await using CoapServer server = await ServeAsync(scheme);
        string uri = $"{server.LocalEndpoints[0]}firmware";
        File.WriteAllBytes(Part, _body[..4321]);
        File.WriteAllText(Part + ".etag", $"{uri}\n{Convert.ToHexStringLower(CoapETag.FromContent(_body).ToArray())}\n");

        CliRun run = await CliHarness.RunAsync("get", uri, "-o", Target, "--continue");

        AssertComplete(run);
        run.HasError("Continues after 4321 B");
        run.HasNoError("has changed");
    }

    [Theory]
    [InlineData(20_000)]
    [InlineData(3000)]
    [InlineData(7)]
    public async Task A_changed_resource_is_downloaded_again_from_the_start(int length)
    {
        await using CoapServer server = await ServeAsync();
        string uri = await InterruptAsync(server);
        _body = Enumerable.Repeat((byte)7, length).ToArray();

        CliRun run = await CliHarness.RunAsync("get", uri, "-o", Target, "--continue");

        AssertComplete(run);
        run.HasError("has changed");
    }

    [Fact]
    public async Task An_interrupted_download_leaves_its_partial_file_and_ETag()
    {
        await using CoapServer server = await ServeAsync();
        string uri = await InterruptAsync(server);

        Assert.Equal([Part, Part + ".etag"], Directory.GetFiles(Folder).Order());
        CliRun again = await CliHarness.RunAsync("get", uri, "-o", Target);
        AssertComplete(again);
    }

    [Fact]
    public async Task A_partial_file_of_another_resource_is_refused()
    {
        await using CoapServer server = await ServeAsync();
        string uri = await InterruptAsync(server);
        byte[] before = File.ReadAllBytes(Part);

        CliRun run = await CliHarness.RunAsync("get", $"{uri}?other", "-o", Target, "--continue");

        run.HasExitCode(ExitCodes.Usage);
        run.HasError($"is a part of {uri}, and not of {uri}?other");
        Assert.Equal(before, File.ReadAllBytes(Part));
    }

    [Fact]
    public async Task A_download_starts_from_the_beginning_without_a_partial_file_or_its_ETag()
    {
        await using CoapServer server = await ServeAsync();
        string uri = $"{server.LocalEndpoints[0]}firmware";

        AssertComplete(await CliHarness.RunAsync("get", uri, "-o", Target, "--continue"));
        File.WriteAllText(Part, "something");
        CliRun run = await CliHarness.RunAsync("get", uri, "-o", Target, "--continue");

        AssertComplete(run);
        run.HasError("starts again");
    }

    [Fact]
    public async Task A_download_without_ETags_is_resumed_with_a_warning()
    {
        _hasETag = false;
        await using CoapServer server = await ServeAsync();
        string uri = await InterruptAsync(server);

        CliRun run = await CliHarness.RunAsync("get", uri, "-o", Target, "--continue");

        AssertComplete(run);
        run.HasError("sends no ETag");
    }

    [Theory]
    [InlineData("add --output FILE", "--continue")]
    [InlineData("add --output FILE", "--continue", "-o", "-")]
    [InlineData("without NUM", "--continue", "-o", "x", "-b", "4,256")]
    public async Task Continue_without_an_output_file_or_with_a_block_number_is_refused(string problem, params string[] args)
    {
        CliRun run = await CliHarness.RunAsync(["get", "coap://127.0.0.1:9/x", .. args]);

        run.HasExitCode(ExitCodes.Usage);
        run.HasError(problem);
    }

    // Ctrl-C in the middle.
    private async Task<string> InterruptAsync(CoapServer server)
    {
        string uri = $"{server.LocalEndpoints[0]}firmware";
        _stallsAt = 8 * 1024;
        using CancellationTokenSource stop = new();
        Task<CliRun> running = new CliHarness { Stopped = stop.Token }.InvokeAsync("get", uri, "-o", Target);
        await Task.WhenAny(_reached.Task, running);
        await stop.CancelAsync();
        CliRun run = await running;
        run.HasExitCode(ExitCodes.Cancelled);
        run.HasError($"8192 B are in {Part}; --continue goes on there.");
        Release();
        return uri;
    }

    private void Release()
    {
        Volatile.Write(ref _stallsAt, long.MaxValue);
        _released.TrySetResult();
    }

    private void AssertComplete(CliRun run)
    {
        run.HasExitCode(ExitCodes.Success);
        Assert.Equal(_body, File.ReadAllBytes(Target));
        Assert.Equal([Target], Directory.GetFiles(Folder));
    }

    private Task<CoapServer> ServeAsync(string scheme = "coap")
    {
        CoapEndpointOptions options = new();
        if (!_hasETag)
        {
            options.Pipeline.Insert(CoapStageLinks.MessagingToSerializer, () => new StageObserver<CoapOutbound>(item =>
            {
                item.Message?.Options.ETag = null;
                return item;
            }));
        }

        return TestServer.StartAsync(
            server => server.MapGet("/firmware",
                () => CoapResults.Stream(new StallingBody(_body, this), CoapETag.FromContent(_body), CoapContentFormat.OctetStream)),
            $"{scheme}://127.0.0.1:0",
            options);
    }

    // Stalls at a position, so that a client can be interrupted exactly there.
    private sealed class StallingBody(byte[] bytes, ContinueTests tests) : MemoryStream(bytes, writable: false)
    {
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            lock (tests._offsets)
            {
                tests._offsets.Add(Position);
            }

            if (Position >= Volatile.Read(ref tests._stallsAt))
            {
                tests._reached.TrySetResult();
                await tests._released.Task;
            }

            return await base.ReadAsync(buffer, cancellationToken);
        }
    }
}
