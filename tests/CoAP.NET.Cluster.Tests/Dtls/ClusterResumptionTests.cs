using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;

namespace CoAP.NET.Cluster.Tests.Dtls;

/// <summary>DTLS sessions that are resumed at another node than the one that made them, and the secret that endpoints share.</summary>
public sealed class ClusterResumptionTests
{
    private const string Identity = "device-1";
    private static readonly byte[] s_key = "secretPSK-1234567"u8.ToArray();
    private static readonly byte[] s_state = [.. Enumerable.Range(1, 200).Select(i => (byte)i)];

    [Fact]
    public async Task A_session_stored_by_a_node_is_encrypted_and_found_at_each_node_by_the_name_of_the_server()
    {
        await using SharingNodes nodes = new();
        CoapCluster one = await nodes.StartAsync();
        CoapCluster other = await nodes.StartAsync();
        await SharingNodes.FairAsync([one, other]);
        byte[] id = IdOf(one);
        DateTimeOffset expires = nodes.Clock.GetUtcNow() + FromHours(1);
        await one.ResumeDtlsSessions("a").AddAsync(id, s_state, expires, default);
        await one.Writer.FlushAsync();

        Assert.Equal(s_state, await other.ResumeDtlsSessions("a").FindAsync(id, default));
        Assert.Equal(s_state, await one.ResumeDtlsSessions("a").FindAsync(id, default));
        Assert.Null(await other.ResumeDtlsSessions("b").FindAsync(id, default));
        Assert.Null(await other.ResumeDtlsSessions("a").FindAsync(new byte[] { id[0], 1 }, default));
        Assert.Equal(2, nodes.Memory.Count);
        await using ICoapClusterStore store = nodes.Memory.Open();
        await foreach (CoapRecord record in store.ReadAsync(CoapRecordKind.Resumption, new CoapSlot(id[0]), default))
        {
            Assert.True(record.State.Span.IndexOf(s_state.AsSpan(0, 8)) < 0);
        }

        nodes.Clock.Advance(FromHours(1));
        Assert.Null(await other.ResumeDtlsSessions("a").FindAsync(id, default));
        Assert.Throws<ArgumentOutOfRangeException>(() => one.ResumeDtlsSessions(new string('x', 65)));
    }

    [Fact]
    public async Task A_node_stores_no_session_in_slots_of_another_node_and_no_expired_session()
    {
        await using SharingNodes nodes = new();
        CoapCluster one = await nodes.StartAsync();
        CoapCluster other = await nodes.StartAsync();
        await SharingNodes.FairAsync([one, other]);
        DateTimeOffset now = nodes.Clock.GetUtcNow();
        await other.ResumeDtlsSessions().AddAsync(IdOf(one), s_state, now + FromHours(1), default);
        await one.ResumeDtlsSessions().AddAsync(IdOf(one), s_state, now, default);
        await one.Writer.FlushAsync();
        await other.Writer.FlushAsync();
        Assert.Equal(1, nodes.Memory.Count);
    }

    [Fact]
    public async Task A_session_that_failed_at_another_node_is_forgotten_by_the_owner_of_its_slot()
    {
        await using SharingNodes nodes = new();
        CoapCluster one = await nodes.StartAsync(KeepsItsSlots);
        await Eventually.IsTrueAsync(() => one.Map.SlotsOf(one.Self.Id).Count == CoapSlot.Count);
        CoapCluster other = await nodes.StartAsync(KeepsItsSlots);
        await Eventually.IsTrueAsync(() => other.Map.SlotsOf(one.Self.Id).Count == CoapSlot.Count && other.Peers.IsUp(one.Self.Id));
        byte[] id = IdOf(one);
        ICoapDtlsResumptionStore ofOne = one.ResumeDtlsSessions();
        await ofOne.AddAsync(id, s_state, nodes.Clock.GetUtcNow() + FromHours(1), default);
        await one.Writer.FlushAsync();
        Assert.NotNull(await ofOne.FindAsync(id, default));

        await other.ResumeDtlsSessions().RemoveAsync(id, default);
        for (int looks = 0; await ofOne.FindAsync(id, default) is not null; looks++)
        {
            // The writer waits a moment for further records.
            nodes.Clock.Advance(FromMilliseconds(20));
            await Eventually.PauseAsync(looks);
        }

        await ofOne.AddAsync(id, s_state, nodes.Clock.GetUtcNow() + FromHours(1), default);
        await ofOne.RemoveAsync(id, default);
        await one.Writer.FlushAsync();
        Assert.Null(await ofOne.FindAsync(id, default));
    }

    [Fact]
    public async Task A_client_resumes_its_session_at_another_node()
    {
        if (CoapDtls.IsSupported)
        {
            await Eventually.BindsAgainAsync(ResumeAsync);
        }
    }

    [Fact]
    public async Task Endpoints_of_all_nodes_share_a_secret_that_differs_from_the_secret_of_the_cluster()
    {
        CoapMemoryCluster memory = new();
        CoapCluster one = new(memory.Open(), ClusterTests.Options(FromHours(1)));
        await using CoapCluster other = new(memory.Open(), ClusterTests.Options(FromHours(1)));
        ReadOnlyMemory<byte> secret = one.EndpointSecret;
        Assert.True(secret.Span.SequenceEqual(other.EndpointSecret.Span));
        Assert.False(secret.Span.SequenceEqual(ClusterTests.Options().Secrets[0].Span));
        CoapEndpointOptions options = new() { Processes = { SharedSecret = secret } };
        Assert.Equal(CoapSealedClusterStore.SecretLength, options.Processes.SharedSecret.Length);

        await one.DisposeAsync();
        Assert.True(secret.Span.IndexOfAnyExcept((byte)0) < 0);
        Assert.Throws<ObjectDisposedException>(() => one.EndpointSecret);
    }

    private static async Task ResumeAsync()
    {
        CoapMemoryCluster memory = new();
        CountedKeys keys = new();
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(Identity, s_key), MaxResumableSessions = 10 },
            HandshakeTimeout = FromMinutes(2),
        }));
        int port = 0;
        for (int i = 0; i < 2; i++)
        {
            await using CoapCluster cluster = new(memory.Open(), ClusterTests.Options(FromHours(1)));
            await cluster.StartAsync();
            await using CoapServer server = Server(cluster, keys, port);
            await server.StartAsync();
            port = server.LocalEndpoints[0].Port;
            CoapResponse response = await client.GetAsync($"coaps://127.0.0.1:{port}/who");
            response.Says(Identity);
            Assert.Equal(i + 1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
            Assert.Equal(0, server.Endpoint.Counters[CoapCounter.ResumptionStoreFailures]);
        }

        // A short handshake asks whether the identity still has a key: one that was removed does not resume.
        Assert.Equal(2, keys.Asked);
    }

    private static CoapServer Server(CoapCluster cluster, ICoapPskStore keys, int port)
    {
        CoapServer server =
            new(new CoapEndpointOptions { Processes = { SharedSecret = cluster.EndpointSecret } }.UseDtls(new CoapDtlsOptions
            {
                Server = new CoapDtlsServerOptions { PskStore = keys, ResumptionStore = cluster.ResumeDtlsSessions() },
            }));
        server.Listen($"coaps://127.0.0.1:{port}");
        server.MapGet("/who", request => CoapResults.Text($"{(request.Peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity}"));
        return server;
    }

    private static void KeepsItsSlots(CoapSlotMoveOptions moves) => moves.SettleTime = FromMinutes(10);

    // The name of a session in a slot that a node has.
    private static byte[] IdOf(CoapCluster node) =>
        [node.Map.SlotsOf(node.Self.Id)[0].Number, .. Enumerable.Range(1, 31).Select(i => (byte)i)];

    private sealed class CountedKeys : ICoapPskStore
    {
        private int _asked;

        public int Asked => Volatile.Read(ref _asked);

        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _asked);
            return new(s_key);
        }
    }
}
