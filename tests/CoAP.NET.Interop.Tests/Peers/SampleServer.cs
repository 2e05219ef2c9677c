using System.Text.RegularExpressions;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>
/// A server of this repository as a process of its own, as users run it. It says where it listens with a line <c>listening on URI</c>.
/// </summary>
internal sealed partial class SampleServer : IAsyncDisposable
{
    private SampleServer(PeerProcess process, Uri uri)
    {
        Process = process;
        Uri = uri;
    }

    public PeerProcess Process { get; }

    /// <summary>The first address that it says it listens on.</summary>
    public Uri Uri { get; }

    /// <summary>Starts it and waits until it listens.</summary>
    /// <param name="project">The directory of the project; it must be built in the configuration of these tests.</param>
    /// <param name="arguments">Its arguments; have it listen on port 0.</param>
    public static Task<SampleServer> StartAsync(string project = "samples/Server", params string[] arguments) =>
        StartAsync(PeerProcess.Start(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet",
            [BuiltProgram.ProgramOf(project), .. arguments]));

    public static async Task<SampleServer> StartAsync(PeerProcess process)
    {
        try
        {
            string line = await process.WaitForLineAsync(ListeningOn().IsMatch);
            return new SampleServer(process, new Uri(ListeningOn().Match(line).Groups["uri"].Value));
        }
        catch
        {
            await process.DisposeAsync();
            throw;
        }
    }

    public ValueTask DisposeAsync() => Process.DisposeAsync();

    [GeneratedRegex(@"\blistening on (?<uri>[a-z][a-z0-9+.-]*://\S+)", RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex ListeningOn();
}

/// <summary>samples/Server for all tests of a class, which run one after another.</summary>
public sealed class SampleServerFixture : IAsyncLifetime
{
    private SampleServer? _server;

    /// <summary>Its address, such as <c>coap://127.0.0.1:41234</c>.</summary>
    public string Host => _server!.Uri.OriginalString.TrimEnd('/');

    internal IPEndPoint EndPoint => new(IPAddress.Loopback, _server!.Uri.Port);

    public async ValueTask InitializeAsync() => _server = await SampleServer.StartAsync("samples/Server", "--bind", "coap://127.0.0.1:0");

    public async ValueTask DisposeAsync() => await (_server?.DisposeAsync() ?? ValueTask.CompletedTask);
}
