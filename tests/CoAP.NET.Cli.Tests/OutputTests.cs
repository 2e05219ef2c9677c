using CoAP.NET.Files;

namespace CoAP.NET.Cli.Tests;

/// <summary>What <c>--output</c> writes to, and what it leaves alone.</summary>
public sealed class OutputTests : FolderTest
{
    private const string NeedsRoot = "needs root, to make devices and files of other users";
    private const string NeedsUnix = "needs pipes with names";

    private string Target => Path.Combine(Folder, "out");

    private string Part => Target + ".part";

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_output_path_that_is_a_pipe_gets_the_bytes_and_stays_a_pipe(bool isLinked)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), NeedsUnix);
        await using CoapServer server = await TestServer.StartAsync();
        string pipe = isLinked ? Path.Combine(Folder, "pipe") : Target;
        await SpecialFile.MakePipeAsync(pipe);
        if (isLinked)
        {
            File.CreateSymbolicLink(Target, pipe);
        }

        Task<byte[]> reading = SpecialFile.ReadPipeAsync(pipe);
        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}large", "-o", Target);

        run.HasExitCode(ExitCodes.Success);
        run.HasError($"5000 B in {Target}");
        Assert.True(SpecialFile.Is(pipe));
        Assert.Equal(new string('x', 5000), Encoding.ASCII.GetString(await reading));
        Assert.Equal(isLinked ? [Target, pipe] : [pipe], Directory.GetFiles(Folder).Order());
    }

    [Fact]
    public async Task A_signal_ends_the_wait_for_the_reader_of_a_pipe()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), NeedsUnix);
        await SpecialFile.MakePipeAsync(Target);
        using CancellationTokenSource stop = new();
        Task<CliRun> running = new CliHarness { Stopped = stop.Token }.InvokeAsync("get", "coap://127.0.0.1:9/x", "-o", Target);

        await stop.CancelAsync();
        CliRun run = await running.WaitAsync(FromMinutes(2));

        run.HasExitCode(ExitCodes.Cancelled);

        // Lets the call end that opens the pipe.
        await new FileStream(Target, FileMode.Open, FileAccess.ReadWrite).DisposeAsync();
    }

    [Fact]
    public async Task The_standard_output_by_its_path_gets_the_bytes()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs /proc");
        await using CoapServer server = await TestServer.StartAsync();
        File.CreateSymbolicLink(Target, "/proc/self/fd/1");

        string output = await Tool.RunAsync(Folder, "dotnet",
            [Path.Combine(AppContext.BaseDirectory, "coap.dll"), "get", $"{server.LocalEndpoints[0]}text", "-o", Target]);

        output.Mentions("21.5");
        Assert.Equal("/proc/self/fd/1", new FileInfo(Target).LinkTarget);
        Assert.Equal([Target], Directory.GetFiles(Folder));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_output_path_that_is_a_device_stays_a_device(bool isFull)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, NeedsRoot);
        await using CoapServer server = await TestServer.StartAsync();
        await SpecialFile.MakeDeviceAsync(Target, isFull);

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}large", "-o", Target);

        run.HasExitCode(isFull ? ExitCodes.File : ExitCodes.Success);
        Assert.True(SpecialFile.Is(Target));
        Assert.Equal([Target], Directory.GetFiles(Folder));
    }

    [Theory]
    [InlineData("before")]
    [InlineData(null)]
    public async Task An_output_path_that_is_a_symbolic_link_is_followed_and_stays_a_link(string? before)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs links");
        await using CoapServer server = await TestServer.StartAsync();
        string inner = Directory.CreateDirectory(Path.Combine(Folder, "inner")).FullName;
        string file = Path.Combine(inner, "firmware");
        if (before is not null)
        {
            await File.WriteAllTextAsync(file, before);
        }

        File.CreateSymbolicLink(Path.Combine(inner, "latest"), "./../inner/firmware");
        File.CreateSymbolicLink(Target, "inner/latest");

        (await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}text", "-o", Target)).HasExitCode(ExitCodes.Success);

        Assert.Equal("21.5", await File.ReadAllTextAsync(file));
        Assert.Equal("inner/latest", new FileInfo(Target).LinkTarget);
        Assert.Equal([file, Path.Combine(inner, "latest")], Directory.GetFiles(inner).Order());
    }

    [Theory]
    [InlineData("link")]
    [InlineData("pipe")]
    public async Task An_output_link_or_pipe_of_another_user_in_a_shared_folder_is_refused(string kind)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, NeedsRoot);
        string folder = Directory.CreateDirectory(Path.Combine(Folder, "all")).FullName;
        await Tool.RunAsync("/", "chmod", ["1777", folder]);
        string target = Path.Combine(folder, "out");
        string victim = Path.Combine(Folder, "victim");
        await File.WriteAllTextAsync(victim, "precious");
        await (kind == "pipe" ? SpecialFile.MakePipeAsync(target) : Task.FromResult(File.CreateSymbolicLink(target, victim)));
        await SpecialFile.GiveToOtherUserAsync(target);
        int requests = 0;
        await using CoapServer server = await CountingAsync(() => requests++);

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}counted", "-o", target);

        run.HasExitCode(ExitCodes.File);
        run.HasError("of another user");
        Assert.Equal((0, "precious"), (requests, await File.ReadAllTextAsync(victim)));
        Assert.Equal([target], Directory.GetFiles(folder));
    }

    [Theory]
    [InlineData("link")]
    [InlineData("second name")]
    [InlineData("pipe")]
    public async Task A_link_or_pipe_in_place_of_the_partial_file_is_replaced_and_its_target_is_not_written(string kind)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), NeedsUnix);
        await using CoapServer server = await TestServer.StartAsync();
        string victim = await PlantAsync(kind, Part);
        await PlantAsync(kind, Part + ".etag");

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}large", "-o", Target);

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal(new string('x', 5000), await File.ReadAllTextAsync(Target));
        Assert.Equal(FileKind.Regular, FileStatus.Of(Target).Kind);
        Assert.Equal("precious", await File.ReadAllTextAsync(victim));
        Assert.Equal([Target, victim], Directory.GetFiles(Folder).Order());
    }

    [Theory]
    [InlineData("link")]
    [InlineData("second name")]
    [InlineData("pipe")]
    [InlineData("other owner")]
    public async Task A_partial_file_that_another_user_may_have_written_is_not_continued(string kind)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), NeedsUnix);
        Assert.SkipWhen(kind == "other owner" && !Environment.IsPrivilegedProcess, NeedsRoot);
        int requests = 0;
        await using CoapServer server = await CountingAsync(() => requests++);
        string uri = $"{server.LocalEndpoints[0]}counted";
        string victim = await PlantAsync(kind, Part);
        await File.WriteAllTextAsync(Part + ".etag", $"{uri}\n\n");

        CliRun run = await CliHarness.RunAsync("get", uri, "-o", Target, "--continue");

        run.HasExitCode(ExitCodes.File);
        run.HasError("Remove it.");
        Assert.Equal((0, "precious"), (requests, await File.ReadAllTextAsync(victim)));
        Assert.False(File.Exists(Target));
    }

    [Fact]
    public async Task An_output_path_that_is_a_pipe_cannot_be_continued()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), NeedsUnix);
        await SpecialFile.MakePipeAsync(Target);

        CliRun run = await CliHarness.RunAsync("get", "coap://127.0.0.1:9/x", "-o", Target, "--continue");

        run.HasExitCode(ExitCodes.Usage);
        run.HasError("--continue needs a file");
    }

    [Theory]
    [InlineData("there", false)]
    [InlineData("there/", false)]
    [InlineData("new/", false)]
    [InlineData("linked", true)]
    public async Task An_output_path_that_is_a_folder_is_refused_before_the_request(string name, bool isLinked)
    {
        Assert.SkipWhen(isLinked && OperatingSystem.IsWindows(), "needs links");
        int requests = 0;
        await using CoapServer server = await CountingAsync(() => requests++);
        string there = Directory.CreateDirectory(Path.Combine(Folder, "there")).FullName;
        if (isLinked)
        {
            Directory.CreateSymbolicLink(Path.Combine(Folder, name), there);
        }

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}counted", "-o", $"{Folder}/{name}");

        run.HasExitCode(ExitCodes.File);
        run.HasError("is a folder. Name a file in it.");
        Assert.Equal(0, requests);
        Assert.Empty(Directory.GetFiles(Folder, "*", SearchOption.AllDirectories));
    }

    [Theory]
    [InlineData(".etag")]
    [InlineData(".etag.new")]
    public async Task A_failed_download_leaves_no_partial_file_that_cannot_be_continued(string name)
    {
        await using CoapServer server = await TestServer.StartAsync();

        // As on a full disk, the ETag cannot be written.
        string blocked = Directory.CreateDirectory(Part + name).FullName;

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}large", "-o", Target);

        run.HasExitCode(ExitCodes.File);
        Assert.Equal([blocked], Directory.GetFileSystemEntries(Folder));
    }

    [Fact]
    public async Task A_second_download_to_the_same_file_is_refused_while_the_first_one_writes()
    {
        TaskCompletionSource reached = new(RunContinuationsAsynchronously);
        TaskCompletionSource released = new(RunContinuationsAsynchronously);
        await using CoapServer server = await TestServer.StartAsync(server => server.MapGet("/slow", async (_, _) =>
        {
            reached.TrySetResult();
            await released.Task;
            return CoapResults.Text("slow");
        }));
        Task<CliRun> first = CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}slow", "-o", Target);
        await Task.WhenAny(first, reached.Task);

        CliRun second = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}text", "-o", Target);
        released.SetResult();
        (await first).HasExitCode(ExitCodes.Success);

        second.HasExitCode(ExitCodes.File);
        Assert.Equal("slow", await File.ReadAllTextAsync(Target));
    }

    private static Task<CoapServer> CountingAsync(Action count) => TestServer.StartAsync(server => server.MapGet("/counted", () =>
    {
        count();
        return CoapResults.Text("counted");
    }));

    // Leaves something in a place that is to lead to the file that this returns.
    private async Task<string> PlantAsync(string kind, string place)
    {
        string victim = Path.Combine(Folder, "victim");
        await File.WriteAllTextAsync(victim, "precious");
        switch (kind)
        {
            case "link":
                File.CreateSymbolicLink(place, victim);
                break;
            case "second name":
                await SpecialFile.MakeHardLinkAsync(victim, place);
                break;
            case "pipe":
                await SpecialFile.MakePipeAsync(place);
                break;
            default:
                await File.WriteAllTextAsync(place, "forged");
                await SpecialFile.GiveToOtherUserAsync(place);
                break;
        }

        return victim;
    }
}
