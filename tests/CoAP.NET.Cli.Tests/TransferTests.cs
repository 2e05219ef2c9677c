namespace CoAP.NET.Cli.Tests;

/// <summary>Files, blocks and the bar that shows how far they are.</summary>
public sealed class TransferTests : FolderTest
{
    [Fact]
    public async Task The_output_is_written_to_the_file_block_by_block()
    {
        await using CoapServer server = await TestServer.StartAsync();
        string path = Path.Combine(Folder, "large");

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}large", "--output", path);

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal(new string('x', 5000), await File.ReadAllTextAsync(path));
        Assert.Empty(run.Out);
        Assert.Equal($"2.05 Content  5000 B in {path}\n", RemoveETag(run.Error));
    }

    [Fact]
    public async Task A_failed_request_leaves_the_output_file_unchanged()
    {
        await using CoapServer server = await TestServer.StartAsync();
        string path = Path.Combine(Folder, "kept");
        await File.WriteAllTextAsync(path, "before");

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}nowhere", "--output", path);

        run.HasExitCode(ExitCodes.ClientError);
        Assert.Equal("before", await File.ReadAllTextAsync(path));
        Assert.Equal([path], Directory.GetFiles(Folder));
    }

    [Fact]
    public async Task The_output_file_is_unchanged_after_a_2_03_response()
    {
        await using CoapServer server =
            await TestServer.StartAsync(server => server.MapGet("/valid", () => CoapResults.Status(CoapCode.Valid)));
        string path = Path.Combine(Folder, "valid");
        await File.WriteAllTextAsync(path, "before");

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}valid", "--etag", "01", "--output", path);

        Assert.Equal((ExitCodes.Success, "2.03 Valid\n"), (run.ExitCode, run.Error));
        Assert.Equal("before", await File.ReadAllTextAsync(path));
    }

    [Fact]
    public async Task A_download_may_start_at_a_given_block()
    {
        await using CoapServer server = await TestServer.StartAsync();
        string path = Path.Combine(Folder, "rest");
        await File.WriteAllTextAsync(path, "before");

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}large", "--output", path, "--block-size", "4,256");

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal(new string('x', 5000 - 1024), await File.ReadAllTextAsync(path));
        Assert.Equal([path], Directory.GetFiles(Folder));
    }

    [Fact]
    public async Task A_file_is_sent_with_the_format_of_its_extension()
    {
        CoapContentFormat? seen = null;
        await using CoapServer server = await TestServer.StartAsync(server => server.MapPut("/file", request =>
        {
            seen = request.ContentFormat;
            return CoapResults.Changed();
        }));
        string path = Path.Combine(Folder, "a.cbor");
        await File.WriteAllBytesAsync(path, [0xa0]);

        await CliHarness.RunAsync("put", $"{server.LocalEndpoints[0]}file", "-f", path);

        Assert.Equal(CoapContentFormat.Cbor, seen);
    }

    [Fact]
    public async Task A_transfer_shows_a_progress_bar_on_a_terminal()
    {
        await using CoapServer server = await TestServer.StartAsync();

        CliRun run = await new CliHarness { IsTerminal = true, Input = Encoding.ASCII.GetBytes(new string('y', 40_000)) }
            .InvokeAsync("put", $"{server.LocalEndpoints[0]}echo", "--file", "-", "--output", Path.Combine(Folder, "echo"));

        run.HasExitCode(ExitCodes.Success);
        run.HasError("sending");
        run.HasError("receiving");
        run.HasError("39.1 KiB");
        run.HasNoError(" KB");
    }

    [Theory]
    [InlineData(0, "0 B")]
    [InlineData(1023, "1023 B")]
    [InlineData(1024, "1.0 KiB")]
    [InlineData(40_000_000, "38.1 MiB")]
    [InlineData(3L << 30, "3.0 GiB")]
    public void Sizes_have_the_units_of_1024_bytes(long bytes, string expected) => Assert.Equal(expected, ByteSizeFormatter.Of(bytes));

    [Fact]
    public async Task A_progress_bar_appears_neither_without_a_terminal_nor_for_a_single_block()
    {
        await using CoapServer server = await TestServer.StartAsync();

        (await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}large")).Error.Omits("receiving");
        Assert.Empty((await CliHarness.OnTerminal().InvokeAsync("get", $"{server.LocalEndpoints[0]}text")).Error);
    }

    [Fact]
    public async Task A_progress_bar_does_not_appear_for_a_transfer_that_ends_at_once()
    {
        await using CoapServer server = await TestServer.StartAsync();

        // In virtual time nothing takes time.
        CliRun run = await CliHarness.OnTerminal().InvokeAsync("get", $"{server.LocalEndpoints[0]}large");

        run.HasExitCode(ExitCodes.Success);
        Assert.Empty(run.Error);
    }

    private static string RemoveETag(string text) => Regex.Replace(text, "  ETag [0-9a-f]+", "");
}
