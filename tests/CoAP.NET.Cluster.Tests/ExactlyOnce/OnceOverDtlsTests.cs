using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Tests.ExactlyOnce;

/// <summary>
/// A server that did what a device asked and was killed before it answered: its successor has the session and the answer.
/// </summary>
public sealed class OnceOverDtlsTests : FolderTest
{
    private static readonly byte[] s_key = "secretPSK-1234567"u8.ToArray();

    private readonly CoapExactlyOnce _once = new();

    [Fact]
    public async Task The_successor_of_a_killed_server_answers_the_request_that_was_not_answered()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using (DbConnection connection = await OpenAsync())
        {
            await _once.CreateTableAsync(connection);
        }

        // A machine that is so busy that the client gives its session up proves nothing.
        int attempts = 1;
        while (!await TryAsync($"{attempts}"))
        {
            Assert.True(++attempts < 6, "The client shook hands anew each time.");
        }
    }

    private async Task<bool> TryAsync(string name)
    {
        await using Wire wire = new();
        await using CoapClient client = new(new CoapEndpointOptions
        {
            // The next copy comes soon after the successor is there, and copies come for minutes.
            Parameters = CoapTransmissionParameters.Default with
            {
                AckTimeout = FromMilliseconds(500),
                AckRandomFactor = 1,
                MaxRetransmit = 10,
            },
        }.UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential("device-1", s_key) },
            // A handshake means that a session was lost, however slow the machine is.
            SilenceToProbe = FromMinutes(10),
            HandshakeTimeout = FromMinutes(2),
        }));
        TaskCompletionSource done = new(RunContinuationsAsynchronously);
        TaskCompletionSource killed = new(RunContinuationsAsynchronously);
        Task<CoapResponse> asked;
        await using (CoapCluster cluster = Cluster($"coap{name}.db"))
        {
            await cluster.StartAsync();
            await using CoapServer server = Server(cluster, async (run, transaction) =>
            {
                Assert.True(run.IsFirst);
                await run.CompleteAsync(CoapResults.Changed(CoapContent.Text("by the first")));
                await transaction.CommitAsync();
                done.TrySetResult();
                await killed.Task;
                return CoapResults.Changed();
            });
            await server.StartAsync();
            wire.To = PortOf(server);
            asked = client.PostAsync($"coaps://127.0.0.1:{wire.Port}/once", CoapContent.Text("5"));
            await Eventually.IsTrueAsync(() => done.Task.IsCompleted);
            for (int looks = 0; !await HasSessionAsync(cluster); looks++)
            {
                await Eventually.PauseAsync(looks);
            }

            // From here on it is as if the process had been killed: nothing that it says arrives.
            wire.To = null;
            foreach (string suffix in (string[])["", "-wal"])
            {
                await using FileStream from = new(PathOf($"coap{name}.db") + suffix, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
                await using FileStream to = new(PathOf($"left{name}.db") + suffix, FileMode.CreateNew);
                await from.CopyToAsync(to);
            }
        }

        killed.SetResult();
        await using CoapCluster next = Cluster($"left{name}.db");
        await next.StartAsync();
        await using CoapServer successor = Server(next,
            (run, _) => Task.FromResult(run.IsFirst ? CoapResults.Text("done twice") : run.Answer!));
        await successor.StartAsync();
        wire.IsToldOfRecords = true;
        wire.To = PortOf(successor);
        await Eventually.IsTrueAsync(() => asked.IsCompleted);
        CoapResponse answer = await asked;
        if (client.Endpoint.Counters[CoapCounter.ConnectionsOpened] > 1)
        {
            return false;
        }

        answer.Says("by the first");
        return true;
    }

    private static int PortOf(CoapServer server) => server.LocalEndpoints[0].Port;

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

    private string PathOf(string file) => Path.Combine(Folder, file);

    private CoapCluster Cluster(string file) =>
        new(new CoapSqliteClusterStore(PathOf(file)), ClusterTests.Options(FromHours(1)));

    private async Task<DbConnection> OpenAsync()
    {
        SqliteConnection connection = new($"Data Source={PathOf("app.db")};Pooling=False");
        await connection.OpenAsync();
        return connection;
    }

    private CoapServer Server(CoapCluster cluster, Func<CoapExactlyOnceRequest, DbTransaction, Task<CoapResult>> handler)
    {
        CoapServer server = new(new CoapEndpointOptions { Processes = { StopGracePeriod = TimeSpan.Zero } }.UseDtls(new CoapDtlsOptions
        {
            Server = new CoapDtlsServerOptions
            {
                PskStore = new CoapPskDictionary { { "device-1", s_key } },
                SessionBackup = cluster.CreateSessionBackup(),
            },
        }));
        server.MapPost("/once", async (CoapRequestContext request) =>
        {
            await using DbConnection connection = await OpenAsync();
            await using DbTransaction transaction = await connection.BeginTransactionAsync();
            return await handler(await _once.TryBeginAsync(transaction, request), transaction);
        });
        server.Listen($"coaps://{IPAddress.Loopback}:0");
        return server;
    }

    /// <summary>What is between the device and whichever server has its address at the moment.</summary>
    private sealed class Wire : IAsyncDisposable
    {
        private const byte ApplicationData = 23;

        private readonly UdpClient _front = new(new IPEndPoint(IPAddress.Loopback, 0));
        private readonly UdpClient _back = new(new IPEndPoint(IPAddress.Loopback, 0));
        private readonly CancellationTokenSource _stop = new();
        private readonly Task _pumps;
        private IPEndPoint? _device;
        private bool _isTold;
        private IPEndPoint? _server;

        public Wire() => _pumps = Task.WhenAll(PumpAsync(_front, isFromDevice: true), PumpAsync(_back, isFromDevice: false));

        public int Port => ((IPEndPoint)_front.Client.LocalEndPoint!).Port;

        /// <summary>The port of the server; null while nothing arrives on either side.</summary>
        public int? To
        {
            set => Volatile.Write(ref _server, value is { } port ? new IPEndPoint(IPAddress.Loopback, port) : null);
        }

        /// <summary>
        /// Whether what the server says within the session reaches the device. A device that has the empty acknowledgement of a server
        /// that is slow does not send its request again (RFC 7252 section 5.2.2).
        /// </summary>
        public bool IsToldOfRecords
        {
            set => Volatile.Write(ref _isTold, value);
        }

        public async ValueTask DisposeAsync()
        {
            await _stop.CancelAsync();
            await _pumps;
            _front.Dispose();
            _back.Dispose();
            _stop.Dispose();
        }

        private async Task PumpAsync(UdpClient from, bool isFromDevice)
        {
            while (true)
            {
                try
                {
                    UdpReceiveResult came = await from.ReceiveAsync(_stop.Token);
                    IPEndPoint? server = Volatile.Read(ref _server);
                    if (isFromDevice)
                    {
                        Volatile.Write(ref _device, came.RemoteEndPoint);
                        if (server is not null)
                        {
                            await _back.SendAsync(came.Buffer, server, _stop.Token);
                        }
                    }
                    else if (came.RemoteEndPoint.Equals(server) && Volatile.Read(ref _device) is { } device
                        && (came.Buffer[0] != ApplicationData || Volatile.Read(ref _isTold)))
                    {
                        await _front.SendAsync(came.Buffer, device, _stop.Token);
                    }
                }
                catch (OperationCanceledException)
                {
                    return;
                }
                catch (SocketException)
                {
                    // Nobody listens there any more.
                }
            }
        }
    }
}
