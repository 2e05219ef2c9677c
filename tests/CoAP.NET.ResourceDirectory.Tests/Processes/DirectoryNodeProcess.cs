using System.Diagnostics;

namespace CoAP.NET.ResourceDirectory.Tests.Processes;

/// <summary>A <see cref="DirectoryNodeProgram"/> as a child process.</summary>
internal sealed class DirectoryNodeProcess : IDisposable
{
    private readonly Process _process;

    private DirectoryNodeProcess(Process process, string uri) => (_process, Uri) = (process, uri);

    /// <summary>Where it listens.</summary>
    public string Uri { get; }

    /// <summary>Its port.</summary>
    public int Port => new Uri(Uri).Port;

    /// <summary>Starts one and waits until it listens.</summary>
    /// <param name="file">The file of the directory.</param>
    /// <param name="port">The port; 0 for any.</param>
    /// <param name="secret">The secret of the cluster.</param>
    /// <exception cref="CoapBindException">Somebody else has the port by now.</exception>
    public static async Task<DirectoryNodeProcess> StartAsync(string file, int port, string secret)
    {
        string[] arguments = [typeof(DirectoryNodeProgram).Assembly.Location, DirectoryNodeProgram.Verb, file, $"{port}", secret];
        Process process = Process.Start(new ProcessStartInfo("dotnet", arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
        string? line = await process.StandardOutput.ReadLineAsync();
        if (line is not null)
        {
            return new DirectoryNodeProcess(process, line);
        }

        await process.WaitForExitAsync();
        int code = process.ExitCode;
        process.Dispose();
        throw code == DirectoryNodeProgram.PortTaken
            ? new CoapBindException($"Port {port} is taken.")
            : new InvalidOperationException($"A directory did not start, and ended with {code}; its error stream says why.");
    }

    /// <summary>
    /// How many observers its file has, how often one has registered with this process, and how many registrations are found.
    /// </summary>
    public async Task<(int Observers, int Registered, int Endpoints)> AskAsync(CoapClient client)
    {
        string line = (await client.GetAsync($"{Uri}/figures")).GetText();
        int[] numbers = [.. line.Split(' ').Select(word => int.Parse(word, CultureInfo.InvariantCulture))];
        return (numbers[0], numbers[1], numbers[2]);
    }

    /// <summary>Ends it as <c>kill -9</c> does: nothing is finished, nobody is told.</summary>
    public void Kill()
    {
        _process.Kill();
        _process.WaitForExit();
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            Kill();
        }

        _process.Dispose();
    }
}
