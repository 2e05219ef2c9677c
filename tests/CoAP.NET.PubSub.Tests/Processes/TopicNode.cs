using System.Globalization;
using CoAP.NET.Cluster;
using CoAP.NET.Cluster.PostgreSql;
using Xunit.MicrosoftTestingPlatform;

namespace CoAP.NET.PubSub.Tests.Processes;

/// <summary>
/// A node of a cluster with a broker as a process of its own: this assembly, started as a program. It says where it listens, and ends with
/// its standard input, so that none is left behind.
/// </summary>
internal static class TopicNode
{
    public const string Verb = "topic-node";
    public const string Keep = "keep";

    /// <summary>The entry point of the assembly: a node with the verb, otherwise the tests.</summary>
    /// <param name="args">The verb, how to reach PostgreSQL, a schema, the secret, and whether each publication is kept.</param>
    /// <returns>0; that of the tests.</returns>
    public static async Task<int> Main(string[] args)
    {
        if (args is not [Verb, { } connection, { } schema, { } secret, { } keep])
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
        await using CoapServer server = new();
        await using CoapPubSubBroker broker = server.MapPubSub("/ps", new CoapPubSubOptions
        {
            OpenTable = rules => cluster.OpenTable(CoapTableKind.Topics, rules, new CoapTableOptions { Timeout = TimeSpan.FromMinutes(1) }),
            KeepEachPublication = keep == Keep,
            PublicationsPerSecond = null,
        });
        server.MapGet("/figures", () => CoapResults.Text(string.Create(CultureInfo.InvariantCulture,
            $"{cluster.Map.SlotsOf(cluster.Self.Id).Count} {broker.GetCounters().Topics}")));
        await cluster.StartAsync();
        await broker.StartAsync();
        await server.Listen("coap://127.0.0.1:0").StartAsync();
        Console.WriteLine(server.LocalEndpoints[0]);
        await Console.In.ReadToEndAsync();
        return 0;
    }
}
