using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Sqlite;
using CoAP.NET.Diagnostics;
using Xunit.MicrosoftTestingPlatform;

namespace CoAP.NET.ResourceDirectory.Tests.Processes;

/// <summary>
/// A directory with a SQLite file as a process of its own: this assembly, started as a program. It says where it listens, and ends with its
/// standard input, so that none is left behind.
/// </summary>
internal static class DirectoryNodeProgram
{
    public const string Verb = "directory-node";

    /// <summary>The exit code when its port is taken.</summary>
    public const int PortTaken = 3;

    /// <summary>The entry point of the assembly: a node with the verb, otherwise the tests.</summary>
    /// <param name="args">The verb, the file, the port, and the secret.</param>
    /// <returns>0; <see cref="PortTaken"/>; that of the tests.</returns>
    public static async Task<int> Main(string[] args)
    {
        if (args is not [Verb, { } file, { } port, { } secret])
        {
            return await TestPlatformTestFramework.RunAsync(args, SelfRegisteredExtensions.AddSelfRegisteredExtensions);
        }

        await using CoapCluster cluster = new CoapSqliteClusterOptions { Path = file }.CreateCluster(
            new CoapClusterOptions { Secrets = [Convert.FromHexString(secret)] });
        await using CoapDirectoryServer directory = new(cluster, new CoapDirectoryOptions { Limits = { Timeout = FromMinutes(1) } });
        await using CoapServer server = new(cluster.KeepState(new CoapEndpointOptions()));
        server.Routes.MapResourceDirectory(directory);
        server.MapGet("/figures", async () =>
        {
            int observers = await CountObserversAsync(cluster);
            return CoapResults.Text(string.Create(CultureInfo.InvariantCulture,
                $"{observers} {server.Counters[CoapCounter.Registrations]} {directory.Count}"));
        });
        cluster.Attach(server);
        await cluster.StartAsync();
        await directory.StartAsync();
        try
        {
            await server.Listen($"coap://127.0.0.1:{port}").StartAsync();
        }
        catch (CoapBindException)
        {
            return PortTaken;
        }

        Console.WriteLine(server.LocalEndpoints[0].Origin());
        await Console.In.ReadToEndAsync();
        return 0;
    }

    // Those that are in the file. Records of the numbers of a server have shorter keys.
    private static async Task<int> CountObserversAsync(CoapCluster cluster)
    {
        int count = 0;
        foreach (CoapSlot slot in CoapSlot.All)
        {
            await foreach (CoapRecord record in cluster.Store.ReadAsync(CoapRecordKind.Observer, slot, default))
            {
                count += record.Key.Bytes.Length > 2 + record.Key.Bytes.Span[0] ? 1 : 0;
            }
        }

        return count;
    }
}
