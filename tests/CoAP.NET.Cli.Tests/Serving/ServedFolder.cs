namespace CoAP.NET.Cli.Tests.Serving;

/// <summary>A folder that <c>coap serve</c> shares in this process, with something beside it that must stay out of reach.</summary>
internal sealed class ServedFolder : IAsyncDisposable
{
    public const string Secret = "not for you";
    private static readonly TimeSpan s_hang = FromMinutes(2);

    private readonly string _directory = Directory.CreateTempSubdirectory("coap-serve-").FullName;
    private readonly CancellationTokenSource _stop = new();
    private readonly CliHarness _harness;
    private Task<CliRun> _running = Task.FromResult<CliRun>(null!);

    private ServedFolder()
    {
        _harness = new CliHarness { Stopped = _stop.Token };
        Root = Directory.CreateDirectory(Path.Combine(_directory, "shared")).FullName;
        Directory.CreateDirectory(Path.Combine(Root, "sub"));
        File.WriteAllText(Path.Combine(_directory, "secret"), Secret);
        File.WriteAllText(Path.Combine(Root, ".hidden"), Secret);
        File.WriteAllText(Path.Combine(Root, "hello.txt"), "hello");
        File.WriteAllText(Path.Combine(Root, "sub", "data.json"), "{}");
    }

    /// <summary>The folder.</summary>
    public string Root { get; }

    /// <summary>What is outside of it.</summary>
    public string SecretPath => Path.Combine(_directory, "secret");

    /// <summary>Where it is shared, without a slash at the end.</summary>
    public string Uri => Uris[0];

    /// <summary>All of these.</summary>
    public IReadOnlyList<string> Uris { get; private set; } = [];

    public static Task<ServedFolder> StartAsync(params string[] args) => StartAsync(_ => { }, ["--bind", "coap://127.0.0.1:0", .. args]);

    public static async Task<ServedFolder> StartAsync(Action<ServedFolder> prepare, string[] args)
    {
        ServedFolder folder = new();
        prepare(folder);
        folder._running = folder._harness.InvokeAsync(
            ["serve", folder.Root, .. args.Select(arg => arg.Replace("{root}", folder.Root))]);
        Task first = await Task.WhenAny(folder._harness.WhenErrorAsync("Ctrl-C to stop"), folder._running);
        Assert.True(first != folder._running, folder._running.IsCompletedSuccessfully ? folder._running.Result.ToString() : "not started");
        folder.Uris = folder._harness.OutSoFar.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        return folder;
    }

    public string PathOf(string name) => Path.Combine(Root, name);

    public Task WhenLoggedAsync(string text) => _harness.WhenErrorAsync(text);

    /// <summary>Ends it as Ctrl-C does.</summary>
    public async Task<CliRun> StopAsync()
    {
        await _stop.CancelAsync();
        return await _running.WaitAsync(s_hang);
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _stop.Dispose();
        Directory.Delete(_directory, recursive: true);
    }
}
