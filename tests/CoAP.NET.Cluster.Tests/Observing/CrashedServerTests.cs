using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Observing;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Tests.Observing;

/// <summary>A server with a SQLite file, as crashes leave it, and clients that observe and notice nothing.</summary>
public sealed class CrashedServerTests : FolderTest
{
    private const string Identity = "device-1";
    private static readonly byte[] s_key = "secretPSK-1234567"u8.ToArray();

    [Fact]
    public async Task Observers_get_notifications_after_two_crashes_without_registering_again()
    {
        if (CoapDtls.IsSupported)
        {
            int attempts = 0;
            await Eventually.BindsAgainAsync(() => CrashTwiceAsync($"{++attempts}"));
        }
    }

    private async Task CrashTwiceAsync(string name)
    {
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(Identity, s_key) },
            // A handshake means that a session was lost, however slow the machine is.
            SilenceToProbe = FromMinutes(10),
            HandshakeTimeout = FromMinutes(2),
        }));
        ServerRun run = await ServerRun.StartAsync(File(name, 0), 0, "zero");
        await using CoapObservation one = await client.ObserveAsync($"coaps://127.0.0.1:{run.Port}/devices/1");
        await using CoapObservation two = await client.ObserveAsync($"coaps://127.0.0.1:{run.Port}/devices/2");
        await using IAsyncEnumerator<CoapResponse> ofOne = one.ReadAllAsync().GetAsyncEnumerator();
        await using IAsyncEnumerator<CoapResponse> ofTwo = two.ReadAllAsync().GetAsyncEnumerator();
        uint number = await NextAsync(ofOne, "zero");
        await NextAsync(ofTwo, "zero");
        for (int crash = 1; crash <= 2; crash++)
        {
            await run.IsStoredAsync(sessions: 1, observers: 2);
            string left = File(name, crash);
            run.CopyTo(left);
            int port = run.Port;
            await run.DisposeAsync();

            string state = $"after crash {crash}";
            run = await ServerRun.StartAsync(left, port, state);

            // The first process said nothing at its end, and a client takes nothing that is older than what it has.
            uint next = await NextAsync(ofOne, state);
            await NextAsync(ofTwo, state);
            Assert.InRange((next - number) & 0xff_ffff, 1u, (1u << 23) - 1);
            run.State = $"{state}, changed";
            Assert.Equal(1, run.Server.Notify("/devices/1"));
            number = await NextAsync(ofOne, run.State);
            Assert.Equal(0, run.Server.Counters[CoapCounter.Registrations]);
            Assert.Equal(2, run.Cluster.GetObserverCounters().Restored);
        }

        Assert.Equal(0, client.Endpoint.Counters[CoapCounter.Reregistrations]);
        Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);

        // Its session ends with it, and its observers with that.
        await client.DisposeAsync();
        await run.IsStoredAsync(sessions: 0, observers: 0);
        await run.DisposeAsync();
    }

    private static async Task<uint> NextAsync(IAsyncEnumerator<CoapResponse> observation, string state)
    {
        do
        {
            Assert.True(await observation.MoveNextAsync());
        }
        while (observation.Current.GetText() != state);

        return observation.Current.Options.Observe!.Value;
    }

    private string File(string name, int crash) => Path.Combine(Folder, $"coap-{name}-{crash}.db");

    /// <summary>A process: its cluster of one, and its server.</summary>
    private sealed class ServerRun : IAsyncDisposable
    {
        private readonly string _file;

        private ServerRun(string file, int port, string state)
        {
            _file = file;
            State = state;
            Cluster = new CoapCluster(new CoapSqliteClusterStore(file), ClusterTests.Options(FromHours(1)));
            Server = new CoapServer(Cluster.KeepState(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
            {
                Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { { Identity, s_key } } },
            })));
            Server.Listen($"coaps://{IPAddress.Loopback}:{port}");
            Server.MapGet("/devices/{id}", () => CoapResults.Text(Volatile.Read(ref _state))).Observable();
            Cluster.Attach(Server);
        }

        private string _state = "";

        public CoapCluster Cluster { get; }

        public CoapServer Server { get; }

        public int Port => Server.LocalEndpoints[0].Port;

        public string State
        {
            get => _state;
            set => Volatile.Write(ref _state, value);
        }

        public static async Task<ServerRun> StartAsync(string file, int port, string state)
        {
            ServerRun run = new(file, port, state);
            try
            {
                await run.Cluster.StartAsync();
                await run.Server.StartAsync();
                return run;
            }
            catch
            {
                await run.DisposeAsync();
                throw;
            }
        }

        public async Task IsStoredAsync(int sessions, int observers)
        {
            for (int looks = 0; await CountAsync(CoapRecordKind.Session) != sessions
                || await CountAsync(CoapRecordKind.Observer) != observers; looks++)
            {
                await Eventually.PauseAsync(looks);
            }
        }

        /// <summary>The file and its log as a process leaves them that is killed now.</summary>
        public void CopyTo(string left)
        {
            foreach (string suffix in (string[])["", "-wal"])
            {
                using FileStream from = new(_file + suffix, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
                using FileStream to = new(left + suffix, FileMode.CreateNew);
                from.CopyTo(to);
            }
        }

        public async ValueTask DisposeAsync()
        {
            await Server.DisposeAsync();
            await Cluster.DisposeAsync();
        }

        private async Task<int> CountAsync(CoapRecordKind kind)
        {
            int count = 0;
            foreach (CoapSlot slot in CoapSlot.All)
            {
                await foreach (CoapRecord record in Cluster.Store.ReadAsync(kind, slot, default))
                {
                    count += kind != CoapRecordKind.Observer || ObserverRecord.IsObserver(record.Key.Bytes.Span) ? 1 : 0;
                }
            }

            return count;
        }
    }
}
