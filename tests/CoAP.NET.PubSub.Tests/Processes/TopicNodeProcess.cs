using System.Diagnostics;
using System.Globalization;

namespace CoAP.NET.PubSub.Tests.Processes;

/// <summary>A <see cref="TopicNode"/> as a child process.</summary>
internal sealed class TopicNodeProcess : IDisposable
{
    private readonly Process _process;

    private TopicNodeProcess(Process process, string uri) => (_process, Uri) = (process, uri);

    /// <summary>Where it listens.</summary>
    public string Uri { get; }

    /// <summary>Starts one and waits until it listens.</summary>
    /// <param name="cluster">How it reaches PostgreSQL, the schema there, the secret, and whether each publication is kept.</param>
    public static async Task<TopicNodeProcess> StartAsync(params string[] cluster)
    {
        Process process = Process.Start(new ProcessStartInfo("dotnet", [typeof(TopicNode).Assembly.Location, TopicNode.Verb, .. cluster])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
        string? line = await process.StandardOutput.ReadLineAsync();
        if (line is not null)
        {
            return new TopicNodeProcess(process, line);
        }

        process.Kill();
        process.Dispose();
        throw new InvalidOperationException("A node did not start; its error stream says why.");
    }

    /// <summary>How many slots it has, and how many topics it knows.</summary>
    public async Task<(int Slots, int Topics)> AskAsync(CoapClient client)
    {
        string line = (await client.GetAsync($"{Uri}/figures")).GetText();
        int[] numbers = [.. line.Split(' ').Select(static word => int.Parse(word, CultureInfo.InvariantCulture))];
        return (numbers[0], numbers[1]);
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
