using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Tests.Dtls;

/// <summary>A server with a SQLite file, as a crash leaves it, and a client that goes on.</summary>
public sealed class ServerRunTests : FolderTest
{
    private const string Identity = "device-1";
    private static readonly byte[] s_key = "secretPSK-1234567"u8.ToArray();

    [Fact]
    public async Task Sessions_continue_after_a_crash_in_another_process_that_opens_the_file()
    {
        if (CoapDtls.IsSupported)
        {
            int attempts = 0;
            await Eventually.BindsAgainAsync(() => CrashAsync($"{++attempts}"));
        }
    }

    private async Task CrashAsync(string name)
    {
        string file = Path.Combine(Folder, $"coap{name}.db");
        string left = Path.Combine(Folder, $"left{name}.db");
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(Identity, s_key) },
            // A handshake means that a session was lost, however slow the machine is.
            SilenceToProbe = FromMinutes(10),
            HandshakeTimeout = FromMinutes(2),
        }));
        int port;
        await using (CoapCluster cluster = Cluster(file))
        {
            await cluster.StartAsync();
            await using CoapServer server = Server(cluster, 0);
            await server.StartAsync();
            port = server.LocalEndpoints[0].Port;
            await client.GetAsync($"coaps://127.0.0.1:{port}/who");
            for (int looks = 0; !await HasSessionAsync(cluster); looks++)
            {
                await Eventually.PauseAsync(looks);
            }

            // The file and its log as a process leaves them that is killed now.
            foreach (string suffix in (string[])["", "-wal"])
            {
                await using FileStream from = new(file + suffix, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
                await using FileStream to = new(left + suffix, FileMode.CreateNew);
                await from.CopyToAsync(to);
            }
        }

        await using CoapCluster next = Cluster(left);
        await next.StartAsync();
        await using CoapServer again = Server(next, port);
        await again.StartAsync();
        CoapResponse response = await client.GetAsync($"coaps://127.0.0.1:{port}/who");

        response.Says(Identity);
        Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
    }

    [Theory]
    [InlineData(false, 1)]
    [InlineData(true, 0)]
    public async Task Sessions_older_than_a_loss_of_the_store_are_refused(bool isLost, int expected)
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        CoapMemoryCluster memory = new();
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(Identity, s_key) },
        }));
        MemoryStoreSnapshot backup;
        await using (CoapCluster cluster = new(memory.Open(), ClusterTests.Options(FromHours(1))))
        {
            await cluster.StartAsync();
            await using CoapServer server = Shared(cluster);
            await server.StartAsync();
            await client.GetAsync($"{server.LocalEndpoints[0]}who");
            for (int looks = 0; !await HasSessionAsync(cluster); looks++)
            {
                await Eventually.PauseAsync(looks);
            }

            backup = memory.Save();
        }

        CoapMemoryCluster later = new();
        later.GoBack(backup, isNoticed: isLost);
        await using CoapCluster next = new(later.Open(), ClusterTests.Options(FromHours(1)));
        await next.StartAsync();
        await using CoapServer again = Shared(next);
        await again.StartAsync();

        Assert.True(await HasSessionAsync(next));
        Assert.Equal(expected, again.Endpoint.ConnectedPeers.Count);
    }

    [Fact]
    public async Task Sessions_of_slots_owned_by_another_node_are_refused_and_without_slots_no_session_is_stored()
    {
        CoapMemoryCluster memory = new();
        await using CoapCluster cluster = new(memory.Open(), ClusterTests.Options(FromHours(1)));
        ICoapDtlsSessionBackup backup = cluster.CreateSessionBackup().Backup;
        CoapDtlsSessionChange[] changes = [Change(1), Change(2)];
        await Assert.ThrowsAsync<CoapClusterStoreException>(async () => await backup.SaveAsync(changes, default));

        await cluster.StartAsync();
        await using CoapSealedClusterStore store = ClusterTests.Open(memory);
        CoapClusterNode other = new(CoapNodeId.New(), "");
        CoapClusterSlotMap map = await store.JoinAsync(other, FromHours(1), default);
        Assert.True(await store.TryChangeAsync(map.Assign(other.Id, [new CoapSlot(1)]), default));
        await backup.SaveAsync(changes, default);

        Assert.Equal([true, false], changes.Select(change => change.IsRefused));
        await backup.SaveAsync([new CoapDtlsSessionChange(CoapDtlsSessionChangeKind.Ended, changes[1].Id, default, default)], default);
        Assert.False(await HasSessionAsync(cluster));
        Assert.Throws<ArgumentOutOfRangeException>(() => cluster.CreateSessionBackup(new string('x', 65)));
    }

    [Fact]
    public async Task A_session_older_than_another_ownership_of_its_slot_is_refused_when_the_slot_returns()
    {
        CoapMemoryCluster memory = new();
        await using CoapCluster cluster = new(memory.Open(), ClusterTests.Options(FromHours(1)));
        ICoapDtlsSessionBackup backup = cluster.CreateSessionBackup().Backup;
        await cluster.StartAsync();
        CoapDtlsSessionChange made = Change(1);
        await backup.SaveAsync([made], default);
        Assert.False(made.IsRefused);
        Assert.NotEqual(0, made.Stamp);

        await using CoapSealedClusterStore store = ClusterTests.Open(memory);
        CoapClusterNode other = new(CoapNodeId.New(), "");
        foreach (CoapNodeId owner in (CoapNodeId[])[other.Id, cluster.Self.Id])
        {
            CoapClusterSlotMap map = await store.JoinAsync(other, FromHours(1), default);
            Assert.True(await store.TryChangeAsync(map.Assign(owner, [new CoapSlot(1)]), default));
        }

        CoapFencingToken now = (await store.JoinAsync(other, FromHours(1), default))[new CoapSlot(1)].Fence;
        for (int looks = 0; cluster.FenceOf(new CoapSlot(1)) != now; looks++)
        {
            await Eventually.PauseAsync(looks);
        }

        CoapDtlsSessionChange late = Change(1);
        late.Stamp = made.Stamp;
        CoapDtlsSessionChange loaded = Change(1);
        loaded.Stamp = now.Value;
        await backup.SaveAsync([late], default);
        await backup.SaveAsync([loaded], default);

        Assert.True(late.IsRefused);
        Assert.False(loaded.IsRefused);
    }

    private static CoapDtlsSessionChange Change(byte slot) => new(CoapDtlsSessionChangeKind.Made, new byte[] { slot, 2, 3, 4, 5, 6, 7, 8 },
        new byte[] { 1 }, TimeProvider.System.GetUtcNow() + FromHours(1));

    private static CoapCluster Cluster(string file) =>
        new(new CoapSqliteClusterStore(file), ClusterTests.Options(FromHours(1)));

    private static CoapServer Shared(CoapCluster cluster)
    {
        CoapServer server = new(cluster.KeepState(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
        {
            Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { { Identity, s_key } } },
        })));
        server.Listen($"coaps://{IPAddress.Loopback}:0");
        server.MapGet("/who", () => CoapResults.Text("who"));
        cluster.Attach(server);
        return server;
    }

    private static CoapServer Server(CoapCluster cluster, int port)
    {
        CoapServer server = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
        {
            Server = new CoapDtlsServerOptions
            {
                PskStore = new CoapPskDictionary { { Identity, s_key } },
                SessionBackup = cluster.CreateSessionBackup(),
            },
        }));
        server.Listen($"coaps://{IPAddress.Loopback}:{port}");
        server.MapGet("/who", request => CoapResults.Text($"{(request.Peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity}"));
        return server;
    }

    private static async Task<bool> HasSessionAsync(CoapCluster cluster)
    {
        foreach (CoapSlot slot in CoapSlot.All)
        {
            await foreach (CoapRecord _ in cluster.Store.ReadAsync(CoapRecordKind.Session, slot, default))
            {
                return true;
            }
        }

        return false;
    }
}
