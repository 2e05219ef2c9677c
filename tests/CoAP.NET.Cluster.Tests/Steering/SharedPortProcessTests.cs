using System.Net;
using CoAP.NET.Cluster.Tests.PostgreSql;
using CoAP.NET.Tests;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>Processes at one port, in which nobody but the kernel brings records to the right one.</summary>
/// <param name="server">What they share their sessions by.</param>
/// <param name="output">Says why nothing was looked at.</param>
[Collection(PostgreSqlCollection.Name)]
[External("postgres")]
public sealed class SharedPortProcessTests(PostgreSqlServer server, ITestOutputHelper output)
{
    private static int s_schemas;

    private readonly string _schema = $"ports{Interlocked.Increment(ref s_schemas)}";
    private readonly string _secret = Convert.ToHexString(CoapSealedClusterStore.NewSecret());

    [Fact]
    public async Task Records_arrive_at_the_process_that_has_their_slot_and_after_a_kill_9_all_at_the_other_one()
    {
        if (!SharedPorts.AreSteered)
        {
            output.WriteLine(SharedPorts.Missing);
            return;
        }

        await Eventually.BindsAgainAsync(async () =>
        {
            string host = $"coaps://127.0.0.1:{SharedPorts.Free()}";
            using PortNodeProcess one = await PortNodeProcess.StartAsync("one", Cluster(), [host]);
            using PortNodeProcess other = await PortNodeProcess.StartAsync("other", Cluster(), [host]);
            await UntilTheyShareAsync(one, other);
            await using PortDevices devices = new([host]);
            await devices.UntilEachOfAsync([one.Name, other.Name]);
            await UntilNothingIsRelayedAsync(devices, one, other);

            // What is in no store yet is lost with its process.
            await UntilAsync(async () => await server.AskAsync<long>(
                $"select count(*) from {_schema}.records where kind = {(int)CoapRecordKind.Session}") == devices.Count);
            one.Kill();
            Assert.All(await devices.AskAsync(), static name => Assert.Equal("other", name));
            await UntilAsync(async () => (await other.AskAsync()).Slots == CoapSlot.Count);

            // A process that comes anew has its share of them.
            using PortNodeProcess next = await PortNodeProcess.StartAsync("next", Cluster(), [host]);
            await UntilTheyShareAsync(other, next);
            await UntilNothingIsRelayedAsync(devices, other, next);
            devices.AssertNobodyShookHandsAgain();
        });
    }

    [Fact]
    public async Task An_endpoint_of_any_address_beside_one_of_loopback_at_the_same_port_has_indices_of_its_own()
    {
        if (!SharedPorts.AreSteered)
        {
            output.WriteLine(SharedPorts.Missing);
            return;
        }

        await Eventually.BindsAgainAsync(async () =>
        {
            int port = SharedPorts.Free(IPAddress.Any);
            string[] both = [$"coaps://127.0.0.1:{port}", $"coaps://0.0.0.0:{port}"];

            // The order in which they are bound is that of their indices, which differ then.
            using PortNodeProcess one = await PortNodeProcess.StartAsync("one", Cluster(), both);
            using PortNodeProcess alone = await PortNodeProcess.StartAsync("alone", Cluster(), [both[0]]);
            using PortNodeProcess other = await PortNodeProcess.StartAsync("other", Cluster(), both);
            await UntilTheyShareAsync(one, alone, other);
            await using PortDevices devices = new([both[0], $"coaps://127.0.0.9:{port}"]);
            await devices.UntilEachOfAsync([one.Name, other.Name]);
            await UntilNothingIsRelayedAsync(devices, one, alone, other);
            devices.AssertNobodyShookHandsAgain();
        });
    }

    private string[] Cluster() => [server.ConnectionString, _schema, _secret];

    private static Task UntilTheyShareAsync(params PortNodeProcess[] nodes) => UntilAsync(async () =>
    {
        PortNodeFigures[] figures = await Task.WhenAll(nodes.Select(static node => node.AskAsync()));
        return figures.Sum(static one => one.Slots) == CoapSlot.Count
            && figures.All(one => one.Slots >= CoapSlot.Count / nodes.Length && one.Links >= nodes.Length - 1);
    });

    // Without a filter, some of the devices would always be at a process that does not have their slot.
    private static Task UntilNothingIsRelayedAsync(PortDevices devices, params PortNodeProcess[] nodes) => UntilAsync(async () =>
    {
        long before = await RelayedAsync(nodes);
        await devices.AskAsync();
        return await RelayedAsync(nodes) == before;
    });

    private static async Task<long> RelayedAsync(PortNodeProcess[] nodes) =>
        (await Task.WhenAll(nodes.Select(static node => node.AskAsync()))).Sum(static one => one.Relayed);

    private static async Task UntilAsync(Func<Task<bool>> isSo)
    {
        using CancellationTokenSource guard = new(PortDevices.Patience);
        for (int looks = 0; !await isSo(); looks++)
        {
            guard.Token.ThrowIfCancellationRequested();
            await Eventually.PauseAsync(looks);
        }
    }
}
