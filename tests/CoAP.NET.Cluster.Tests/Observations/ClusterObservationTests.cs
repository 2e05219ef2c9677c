using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Observations;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Cluster.Tests.Observations;

/// <summary>
/// Observations at a device that outlive the process and its slots: the device is a server of this library that opens a session, and counts
/// what it is asked.
/// </summary>
public sealed class ClusterObservationTests : IAsyncDisposable
{
    private const string Name = "temperature";
    private const string Path = "/3303/0/5700";
    private static readonly byte[] s_key = "secretPSK-1234567"u8.ToArray();

    private CoapServer _device = NewDevice();
    private int _degrees = 20;

    private long Registrations => _device.Counters[CoapCounter.Registrations];

    [Fact]
    public async Task An_observation_continues_after_a_crash_and_the_device_sends_only_notifications()
    {
        if (CoapDtls.IsSupported)
        {
            await Eventually.BindsAgainAsync(CrashAsync);
        }
    }

    [Fact]
    public async Task A_notification_that_arrives_before_its_observation_is_restored_waits_for_its_handler()
    {
        if (CoapDtls.IsSupported)
        {
            await Eventually.BindsAgainAsync(HandleLateAsync);
        }
    }

    [Fact]
    public async Task A_session_that_arrives_before_its_observation_was_read_gets_notifications()
    {
        if (CoapDtls.IsSupported)
        {
            await Eventually.BindsAgainAsync(ReadLateAsync);
        }
    }

    [Fact]
    public async Task Starting_an_observation_again_registers_once_another_path_replaces_it_and_stopping_deregisters()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using Node node = await ObservingNodeAsync(new CoapMemoryCluster().Open());
        CoapPeer peer = await node.OpenAsync(_device);
        await node.Cluster.Observations.StartAsync(Name, peer, Path);
        Assert.Equal((1, 1, 1), (_device.CountObservers(Path), (int)Registrations, node.Cluster.Observations.Count));

        await node.Cluster.Observations.StartAsync(Name, peer, "/other");
        Assert.Equal("other", await node.HeardAsync());
        await Eventually.IsTrueAsync(() => _device.CountObservers(Path) == 0);
        Assert.True(await node.Cluster.Observations.StopAsync(Name, peer));
        Assert.False(await node.Cluster.Observations.StopAsync(Name, peer));
        await Eventually.IsTrueAsync(() => _device.CountObservers("/other") == 0);
        await node.Cluster.Writer.FlushAsync();
        Assert.Null(await RecordAsync(node.Cluster));
        Assert.Equal((0, 2), (node.Cluster.Observations.Count, (int)Registrations));
        Assert.Equal(2, node.Cluster.Counts[ClusterMetric.ObservationsBegun]);
    }

    [Fact]
    public async Task An_ended_observation_is_neither_restarted_nor_rewritten_and_does_not_remove_its_replacement()
    {
        await using CoapCluster cluster = new(new CoapMemoryCluster().Open(), ClusterTests.Options(FromHours(1)));
        await cluster.StartAsync();
        DeviceObservationTable table = new();
        ObservationRunner runs = new(cluster, table, TimeProvider.System, NullLogger.Instance);
        CoapRecordKey key = ObservationRecord.KeyOf([1, 2, 3, 4, 5, 6, 7, 8], Name)!.Value;
        DurableObservation ended = new(key, cluster.FenceOf(key.Slot), Name, new CoapMessage(CoapCode.Get), now: 0);
        Assert.True(table.TryAdd(ended));
        runs.Write(ended, isHint: false);
        Assert.True(table.TryTake(ended));
        runs.Remove(ended);
        runs.Write(ended, isHint: false);
        await cluster.Writer.FlushAsync();
        Assert.Null(await RecordAsync(cluster));

        // With a peer that cannot be observed, an attempt fails and is counted.
        Assert.True(runs.TryMap(Name, (_, _) => { }));
        await runs.BeginAsync(ended, peer: null!);
        Assert.Equal(0, cluster.Counts[ClusterMetric.ObservationsFailed]);

        DurableObservation next = new(key, cluster.FenceOf(key.Slot), Name, new CoapMessage(CoapCode.Get), now: 0);
        Assert.True(table.TryAdd(next));
        runs.Write(next, isHint: false);
        runs.Remove(ended);
        await cluster.Writer.FlushAsync();
        Assert.NotNull(await RecordAsync(cluster));
    }

    [Fact]
    public async Task A_moved_slot_keeps_the_latest_notification_and_sends_the_device_no_message()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using Node node = await ObservingNodeAsync(new CoapMemoryCluster().Open());
        CoapPeer peer = await node.OpenAsync(_device);
        Notify(21);
        Assert.Equal("21", await node.HeardAsync());

        CoapSlot slot = new(peer.DurableId.Span[0]);
        long asked = _device.Counters[CoapCounter.RequestsReceived];
        await node.Cluster.Observations.SlotState.ReleaseAsync(slot, CancellationToken.None);
        await node.Cluster.Writer.FlushAsync();
        Assert.Equal(0, node.Cluster.Observations.Count);
        CoapRecord? kept = await RecordAsync(node.Cluster);
        Assert.True(ObservationRecord.TryRead(kept!, out string? name, out CoapMessage? request, out CoapNotificationPosition? heard));
        Assert.Equal((Name, 8), (name, request.Token.Length));
        Assert.Equal(FromHours(1), heard!.MaxAge);
        Assert.Equal((1, asked), (_device.CountObservers(Path), _device.Counters[CoapCounter.RequestsReceived]));
    }

    [Fact]
    public async Task The_error_for_an_invalid_durable_observation_says_why()
    {
        await using CoapCluster cluster = new(new CoapMemoryCluster().Open(), ClusterTests.Options(FromHours(1)));
        await cluster.StartAsync();
        CoapClusterObservations observations = cluster.Observations;
        observations.Map(Name, (_, _) => { });
        Assert.Throws<InvalidOperationException>(() => observations.Map(Name, (_, _) => { }));
        Assert.ThrowsAny<ArgumentException>(() => observations.Map("", (_, _) => { }));
        Assert.Throws<ArgumentOutOfRangeException>(() => observations.Map(new string('x', 65), (_, _) => { }));

        await using CoapServer server = new();
        TaskCompletionSource<CoapPeer> asking = new(RunContinuationsAsynchronously);
        server.MapGet("/", request =>
        {
            asking.TrySetResult(request.Peer);
            return CoapResults.Text("");
        });
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new();
        await client.GetAsync(server.LocalEndpoints[0]);
        ArgumentException plain = await Assert.ThrowsAsync<ArgumentException>(
            async () => await observations.StartAsync(Name, await asking.Task, Path));
        plain.Mentions("no session that outlives the process");
    }

    public async ValueTask DisposeAsync() => await _device.DisposeAsync();

    private static CoapServer NewDevice()
    {
        CoapServer device = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential("device-1", s_key) },
            // A handshake means that a session was lost, however slow the machine is.
            SilenceToProbe = FromMinutes(10),
            HandshakeTimeout = FromMinutes(2),
        }));
        device.Endpoint.ExpectConnections();
        return device;
    }

    private static async Task<CoapRecord?> RecordAsync(CoapCluster cluster)
    {
        foreach (CoapSlot slot in CoapSlot.All)
        {
            await foreach (CoapRecord record in cluster.Store.ReadAsync(CoapRecordKind.Observation, slot, default))
            {
                return record;
            }
        }

        return null;
    }

    // Each attempt has a device of its own.
    private async Task StartDeviceAsync()
    {
        await _device.DisposeAsync();
        _device = NewDevice();
        _device.MapGet(Path, () => CoapResults.Text($"{Volatile.Read(ref _degrees)}")).Observable(observe => observe.MaxAge = FromHours(1));
        _device.MapGet("/other", () => CoapResults.Text("other")).Observable();
        await _device.StartAsync();
    }

    // A node that has heard the device once.
    private async Task<Node> ObservingNodeAsync(ICoapClusterStore store)
    {
        await StartDeviceAsync();
        Node node = await Node.StartAsync(store);
        node.Handle();
        await node.Cluster.Observations.StartAsync(Name, await node.OpenAsync(_device), Path);
        Assert.Equal($"{_degrees}", await node.HeardAsync());
        return node;
    }

    // A node observes the device, and is gone: the file as a kill leaves it, and the port.
    private async Task<(string Left, int Port)> CrashedNodeAsync(Folder folder)
    {
        string left = folder.File("left.db");
        await using Node node = await ObservingNodeAsync(new CoapSqliteClusterStore(folder.File("coap.db")));
        await node.CrashAsync(folder.File("coap.db"), left);
        return (left, node.Port);
    }

    private async Task CrashAsync()
    {
        using Folder folder = new();
        (string left, int port) = await CrashedNodeAsync(folder);
        Assert.Equal(1, Registrations);
        CoapCounters counters = _device.Counters;
        long Sent() => counters[CoapCounter.DatagramsSent] - counters[CoapCounter.Retransmissions];
        (long sent, long told, long asked) =
            (Sent(), counters[CoapCounter.NotificationsSent], counters[CoapCounter.RequestsReceived]);
        await using Node second = await Node.StartAsync(new CoapSqliteClusterStore(left), port, node => node.Handle());
        for (int degrees = _degrees + 1, last = degrees + 3; degrees < last; degrees++)
        {
            Notify(degrees);
            await second.HeardAsync($"{degrees}");
        }

        Assert.Equal(1, Registrations);
        Assert.Equal((1, asked), (_device.CountObservers(Path), counters[CoapCounter.RequestsReceived]));
        Assert.Equal(Sent() - sent, counters[CoapCounter.NotificationsSent] - told);
        Assert.Equal(0, second.Server.Counters[CoapCounter.RequestsSent]);
        await second.Cluster.Observations.StopAsync(Name, Assert.Single(second.Server.Endpoint.ConnectedPeers));
        await Eventually.IsTrueAsync(() => _device.CountObservers(Path) == 0);
    }

    private async Task HandleLateAsync()
    {
        using Folder folder = new();
        (string left, int port) = await CrashedNodeAsync(folder);
        await using Node second = await Node.StartAsync(new CoapSqliteClusterStore(left), port);
        await Eventually.IsTrueAsync(() => second.Cluster.Observations.Count == 1);
        long came = second.Server.Counters[CoapCounter.DatagramsReceived];
        Notify(30);
        await Eventually.IsTrueAsync(() => second.Server.Counters[CoapCounter.DatagramsReceived] > came);
        second.Handle();
        await second.HeardAsync("30");
        Assert.Equal((1, 1L), (_device.CountObservers(Path), Registrations));
    }

    private async Task ReadLateAsync()
    {
        using Folder folder = new();
        (string left, int port) = await CrashedNodeAsync(folder);
        CutStore store = new(new CoapSqliteClusterStore(left));
        store.HoldReads(CoapRecordKind.Observation);
        await using Node second = await Node.StartAsync(store, port, node => node.Handle());
        Notify(30);
        await Eventually.IsTrueAsync(() => second.Server.Endpoint.ConnectedPeers.Any());
        Assert.Equal(0, second.Cluster.Observations.Count);
        store.Wake();
        await second.HeardAsync("30");
        Assert.Equal((1, 1L), (_device.CountObservers(Path), Registrations));
    }

    private void Notify(int degrees)
    {
        Volatile.Write(ref _degrees, degrees);
        _device.Notify(Path);
    }

    private sealed class Folder : IDisposable
    {
        private readonly string _path = Directory.CreateTempSubdirectory("coap-cluster-").FullName;

        public string File(string name) => System.IO.Path.Combine(_path, name);

        public void Dispose() => Directory.Delete(_path, recursive: true);
    }

    /// <summary>A server that takes part in a cluster, as a process has it.</summary>
    private sealed class Node : IAsyncDisposable
    {
        private readonly ConcurrentQueue<string> _heard = new();
        private readonly SemaphoreSlim _came = new(0);
        private readonly TaskCompletionSource<CoapPeer> _peer = new(RunContinuationsAsynchronously);

        private Node(ICoapClusterStore store) => Cluster = new CoapCluster(store, ClusterTests.Options(FromHours(1)));

        public CoapCluster Cluster { get; }

        public CoapServer Server { get; private set; } = null!;

        public int Port => Server.LocalEndpoints[0].Port;

        public static async Task<Node> StartAsync(ICoapClusterStore store, int port = 0, Action<Node>? before = null)
        {
            Node node = new(store);
            try
            {
                before?.Invoke(node);
                await node.Cluster.StartAsync();
                node.Server = new CoapServer(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
                {
                    Server = new CoapDtlsServerOptions
                    {
                        PskStore = new CoapPskDictionary { { "device-1", s_key } },
                        SessionBackup = node.Cluster.CreateSessionBackup(),
                    },
                }));
                node.Server.Endpoint.PeerConnected += (_, peer) => node._peer.TrySetResult(peer);
                node.Cluster.Observations.Attach(node.Server.Endpoint);
                node.Server.Listen($"coaps://{IPAddress.Loopback}:{port}");
                await node.Server.StartAsync();
                return node;
            }
            catch
            {
                await node.DisposeAsync();
                throw;
            }
        }

        public void Handle() => Cluster.Observations.Map(Name, (_, response) =>
        {
            _heard.Enqueue(response.GetText());
            _came.Release();
        });

        public async Task<CoapPeer> OpenAsync(CoapServer device)
        {
            await device.Endpoint.PingAsync(Server.LocalEndpoints[0]);
            return await _peer.Task;
        }

        public async Task<string> HeardAsync()
        {
            Assert.True(await _came.WaitAsync(FromMinutes(1)), "Nothing was heard.");
            Assert.True(_heard.TryDequeue(out string? heard));
            return heard;
        }

        /// <summary>Waits until something was heard; what is older may have been heard before.</summary>
        public async Task HeardAsync(string text)
        {
            while (await HeardAsync() != text)
            {
            }
        }

        /// <summary>Copies the file as a process leaves it that is killed, once it has the session and what was heard.</summary>
        public async Task CrashAsync(string file, string left)
        {
            for (int looks = 0; !await IsKeptAsync(); looks++)
            {
                await Eventually.PauseAsync(looks);
            }

            foreach (string suffix in (string[])["", "-wal"])
            {
                await using FileStream from = new(file + suffix, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
                await using FileStream to = new(left + suffix, FileMode.CreateNew);
                await from.CopyToAsync(to);
            }
        }

        public async ValueTask DisposeAsync()
        {
            if (Server is not null)
            {
                await Server.DisposeAsync();
            }

            await Cluster.DisposeAsync();
            _came.Dispose();
        }

        private async Task<bool> IsKeptAsync()
        {
            await Cluster.Writer.FlushAsync();
            return await RecordAsync(Cluster) is { } record && ObservationRecord.TryRead(record, out _, out _, out var heard)
                && heard is not null && await Cluster.Store.ReadAsync(CoapRecordKind.Session, record.Key.Slot, default).AnyAsync();
        }
    }
}
