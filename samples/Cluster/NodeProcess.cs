using System.Diagnostics;
using System.Net;

namespace ClusterSample;

/// <summary>A <see cref="Node"/> in a process of its own.</summary>
internal sealed class NodeProcess : IDisposable
{
    private readonly Process _process;

    private NodeProcess(Process process, string name, string uri)
    {
        _process = process;
        Name = name;
        Address = IPEndPoint.Parse(new Uri(uri).Authority);
    }

    public string Name { get; }

    public IPEndPoint Address { get; }

    /// <summary>What the health check of a balancer finds out.</summary>
    public bool IsAlive => !_process.HasExited;

    public static async Task<NodeProcess> StartAsync(string name, string store, string secret)
    {
        string program = Environment.ProcessPath!;
        string[] start = Path.GetFileNameWithoutExtension(program) == "dotnet" ? [Environment.GetCommandLineArgs()[0]] : [];
        Process process = Process.Start(new ProcessStartInfo(program, [.. start, Node.Verb, name, store, secret])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
        string? uri = await process.StandardOutput.ReadLineAsync();
        return uri is not null
            ? new NodeProcess(process, name, uri)
            : throw new InvalidOperationException($"The node {name} did not start.");
    }

    /// <summary>What <c>kill -9</c> does: nothing is finished, nobody is told.</summary>
    public void Kill()
    {
        _process.Kill();
        _process.WaitForExit();
    }

    /// <summary>Ends it in order.</summary>
    public void Dispose()
    {
        if (IsAlive)
        {
            _process.StandardInput.Close();
            _process.WaitForExit();
        }

        _process.Dispose();
    }
}
