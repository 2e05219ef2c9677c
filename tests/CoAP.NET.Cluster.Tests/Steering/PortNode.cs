using System.Globalization;
using CoAP.NET.Cluster.PostgreSql;
using CoAP.NET.Dtls;
using Xunit.MicrosoftTestingPlatform;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>
/// A node of a cluster as a process of its own, at a port that it shares with others: this assembly, started as a program. It answers each
/// line of its standard input with its figures, and ends with that input, so that none is left behind.
/// </summary>
internal static class PortNode
{
    public const string Verb = "port-node";
    public const string Listening = "listening";
    public const string Taken = "taken";

    /// <summary>All devices have it.</summary>
    public static byte[] Key { get; } = "secretPSK-1234567"u8.ToArray();

    /// <summary>The entry point of the assembly: a node with the verb, otherwise the tests.</summary>
    /// <param name="args">The verb, how to reach PostgreSQL, a schema, the secret and the addresses to listen on.</param>
    /// <returns>0; that of the tests.</returns>
    public static async Task<int> Main(string[] args)
    {
        if (args is not [Verb, { } connection, { } schema, { } secret, { } name, .. { Length: > 0 } addresses])
        {
            return await TestPlatformTestFramework.RunAsync(args, SelfRegisteredExtensions.AddSelfRegisteredExtensions);
        }

        CoapClusterOptions options = new()
        {
            Secret = Convert.FromHexString(secret),
            Lease = TimeSpan.FromHours(1),
            LinkAddress = "coaps+tcp://127.0.0.1:0",
        };
        options.Moves.SettleTime = TimeSpan.Zero;
        await using CoapCluster cluster = new(
            new CoapPostgreSqlClusterStore(new CoapPostgreSqlClusterOptions { ConnectionString = connection, Schema = schema }), options);
        await cluster.StartAsync();
        CoapPskDictionary keys = [];
        for (int device = 0; device < PortNodeProcess.Devices; device++)
        {
            keys.Add(PortNodeProcess.DeviceName(device), Key);
        }

        await using CoapServer server = new(new CoapEndpointOptions { SharePort = true }
            .UseDtls(new CoapDtlsOptions { Server = new CoapDtlsServerOptions { PskStore = keys } }).UseCluster(cluster));
        server.MapGet("/who", request => CoapResults.Text($"{(request.Peer.Identity as CoapDtlsIdentity)?.PskIdentity} {name}"));
        foreach (string address in addresses)
        {
            server.Listen(address);
        }

        cluster.Attach(server);
        try
        {
            await server.StartAsync();
        }
        catch (CoapBindException exception)
        {
            Console.WriteLine($"{Taken} {exception.Message}");
            return 0;
        }

        Console.WriteLine(Listening);
        while (await Console.In.ReadLineAsync() is not null)
        {
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"{cluster.Map.SlotsOf(cluster.Self.Id).Count} {cluster.Links.Up.Count} {cluster.GetNodeCounters().Relayed}"));
        }

        return 0;
    }
}
